import type { AdmittedRequest, Answer } from '../journey.ts';
import type { ProxyMetrics } from './metrics.ts';

/** Observes how long a forwarded request took, and which part of that was the proxy's and which the provider's. */
export function observeTimes(
  metrics: Pick<ProxyMetrics, 'duration' | 'overhead' | 'provider' | 'providerFirstByte'>,
  { head, body }: AdmittedRequest,
  { durationMs, times }: Pick<Answer, 'durationMs' | 'times'>,
): void {
  const label = { provider: head.provider.id };
  metrics.duration.observe(label, durationMs / 1000);
  const { dispatched, answered, ended, relayedMs } = times;
  if (dispatched === null) return;
  metrics.overhead.observe(label, (dispatched - head.arrived - body.waitedMs + relayedMs) / 1000);
  if (ended !== null) metrics.provider.observe(label, (ended - dispatched) / 1000);
  if (answered !== null) metrics.providerFirstByte.observe(label, (answered - dispatched) / 1000);
}
