import type { ProxyMetrics } from './metrics.ts';

/** The steps of the pipeline, named after their files and functions. */
export type StepName =
  | 'readHead'
  | 'identify'
  | 'admit'
  | 'resolveSession'
  | 'readBody'
  | 'reserve'
  | 'claimSession'
  | 'forward'
  | 'meter'
  | 'finish';

/**
 * Times the steps of one request, at a cost of about 0.2 microseconds each.
 *
 * @returns to be called with the step that begins now, which ends the one before; with null after the last
 */
export function timeSteps({ steps }: Pick<ProxyMetrics, 'steps'>): (begins: StepName | null) => void {
  let step: StepName | null = null;
  let since = 0;
  return (begins) => {
    const now = performance.now();
    if (step !== null) steps.observe({ step }, (now - since) / 1000);
    step = begins;
    since = now;
  };
}
