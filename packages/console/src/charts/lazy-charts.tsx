import { Skeleton } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { FaultBoundary } from '../components/feedback.tsx';

/** A part whose code comes when it is first drawn, in the room that it will take. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props & { height: number }>>) {
  const Part = lazy(async () => ({ default: await load() }));
  return (props: Props & { height: number }) => (
    <FaultBoundary>
      <Suspense fallback={<Skeleton height={props.height} />}>
        <Part {...props} />
      </Suspense>
    </FaultBoundary>
  );
}

export const DayBars = later(async () => (await import('./chart.tsx')).DayBars);
export const HourChart = later(async () => (await import('./chart.tsx')).HourChart);
