import { Skeleton } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { FaultBoundary } from '../components/feedback.tsx';

/** A chart whose code comes when it is first drawn, in the room that it will take. */
function later<Props extends { height: number }>(load: () => Promise<ComponentType<Props>>) {
  const Chart = lazy(async () => ({ default: await load() }));
  return (props: Props) => (
    <FaultBoundary>
      <Suspense fallback={<Skeleton height={props.height} />}>
        <Chart {...props} />
      </Suspense>
    </FaultBoundary>
  );
}

export const DayBars = later(async () => (await import('./chart.tsx')).DayBars);
export const HourChart = later(async () => (await import('./chart.tsx')).HourChart);
