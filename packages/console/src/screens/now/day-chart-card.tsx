import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import { Card } from '../../components/card.tsx';
import { FailureNotice } from '../../components/failure-notice.tsx';
import { FaultBoundary } from '../../components/fault-boundary.tsx';
import { fillHours } from './fill-hours.ts';

/** Hours change slowly: once a minute, in milliseconds. */
const refreshMs = 60_000;
const height = 180;

const HourChart = lazy(() => import('../../charts/hour-chart.tsx').then((file) => ({ default: file.HourChart })));

/** Cost and requests by the hour of the last day. Read after the figures, which do not wait for it. */
export function DayChartCard() {
  const { data, error } = useQuery({
    ...apiQuery('/api/v1/costs/usage', { query: { group_by: 'hour', from: '24h' } }),
    refetchInterval: refreshMs,
  });
  return (
    <Card title="The last 24 hours">
      {error && <FailureNotice error={error} />}
      <div style={{ minHeight: height }}>
        {data && (
          <FaultBoundary>
            <Suspense fallback={<Skeleton height={height} />}>
              <HourChart hours={fillHours(data.data.usage, Date.now())} height={height} />
            </Suspense>
          </FaultBoundary>
        )}
      </div>
    </Card>
  );
}
