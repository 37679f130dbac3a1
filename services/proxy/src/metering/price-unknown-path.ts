import type { ProxyContext } from '../context.ts';
import type { AdmittedRequest, Answer, Metering } from '../journey.ts';

/**
 * What a request on a path that we cannot read cost. Nobody tells, and it is never nothing in silence: each one with a body
 * is counted, and under a cap it costs what was reserved for it, `BUDGET_UNPRICED_USD`, unless the provider refused it or
 * was not there.
 */
export function priceUnknownPath(
  { config, metrics }: Pick<ProxyContext, 'config' | 'metrics'>,
  { head, admission }: Pick<AdmittedRequest, 'head' | 'admission'>,
  answer: Answer,
): Pick<Metering, 'costNanoUsd' | 'usageSource'> {
  const free = { costNanoUsd: 0, usageSource: 'none' } as const;
  if (!head.hasBody || !mayHaveServed(answer)) return free;
  metrics.unknownPaths.inc({ provider: head.provider.id });
  const { agentCap, globalCap } = admission.limits;
  if (agentCap.capNanoUsd === null && globalCap.capNanoUsd === null) return free;
  return { costNanoUsd: Math.round(config.budgetUnpricedUsd * 1e9), usageSource: 'estimated' };
}

/** Without an answer nobody knows, once the provider had the request. */
const mayHaveServed = ({ status, sent }: Answer) => (status === null ? sent : status >= 200 && status < 300);
