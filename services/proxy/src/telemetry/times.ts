import type { AdmittedRequest, Answer } from '../journey.ts';
import type { ProxyMetrics } from './metrics.ts';

/** Named after their files and functions. */
type StepName =
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

/** Call it with the step that begins now, and with null after the last. */
export function timeSteps({ steps }: Pick<ProxyMetrics, 'steps'>): (begins: StepName | null) => void {
  let step: StepName | null = null;
  let since = 0;
  return (begins) => {
    const now = performance.now();
    if (step !== null) steps.observe(step, (now - since) / 1000);
    step = begins;
    since = now;
  };
}

export function observeTimes(
  metrics: Pick<ProxyMetrics, 'duration' | 'overhead' | 'provider' | 'providerFirstByte'>,
  { head, body }: AdmittedRequest,
  { durationMs, times }: Pick<Answer, 'durationMs' | 'times'>,
): void {
  const { id } = head.provider;
  metrics.duration.observe(id, durationMs / 1000);
  const { dispatched, answered, ended, relayedMs } = times;
  if (dispatched === null) return;
  metrics.overhead.observe(id, (dispatched - head.arrived - body.waitedMs + relayedMs) / 1000);
  if (ended !== null) metrics.provider.observe(id, (ended - dispatched) / 1000);
  if (answered !== null) metrics.providerFirstByte.observe(id, (answered - dispatched) / 1000);
}
