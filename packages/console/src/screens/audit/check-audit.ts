import { callApi } from '../../api/call-api.ts';
import { type CheckedLink, checkChain } from '../../verify/check-chain.ts';
import { checkRemovals } from '../../verify/check-removals.ts';
import type { Finding } from '../../verify/use-chain-check.ts';

interface Progress {
  signal: AbortSignal;
  onTotal: (total: number) => void;
  onSteps: (steps: readonly CheckedLink[]) => void;
}

/**
 * Downloads the audit log's chain, computes every hash in this browser, and compares what retention removed with what the log says.
 *
 * @throws ApiFailure where something cannot be downloaded
 */
export async function checkAudit(progress: Progress, isLastTry = false): Promise<Finding> {
  const { signal, onTotal, onSteps } = progress;
  const { data } = await callApi('get', '/api/v1/audit/chain', { signal });
  onTotal(data.entries.length);
  const check = await checkChain(data.entries, { onSteps, signal });
  if (check.divergence !== null) return check;
  const { data: anchors } = await callApi('get', '/api/v1/lineage/removals', { signal });
  const payloads = data.entries.map(({ payload }) => payload);
  const otherFault = await checkRemovals(payloads, anchors);
  // Events may have been removed between the two downloads. That does not happen twice in a row.
  if (otherFault !== null && !isLastTry) return checkAudit({ ...progress, onSteps: () => {} }, true);
  return { ...check, otherFault };
}
