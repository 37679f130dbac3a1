import { findCut, findRefusal } from '@agp/core/chain';
import { callApi } from '../../api/api.ts';
import { ChainCard } from '../../verify/chain-card.tsx';
import { checkChain, checkRemovals } from '../../verify/check-chain.ts';
import { type Finding, type Progress, useChainCheck } from '../../verify/use-chain-check.ts';

/**
 * Downloads the audit log's chain, computes every hash in this browser, and compares its end with its head, and what retention removed with
 * what the log says.
 */
export async function checkAudit(progress: Progress, isLastTry = false): Promise<Finding> {
  const { signal, onTotal, onSteps } = progress;
  // First, so that entries which are added meanwhile are no fault. The server's judgement only counts if it is a no.
  const { data: told } = await callApi('get', '/api/v1/audit/verify', { signal });
  const { data } = await callApi('get', '/api/v1/audit/chain', { signal });
  onTotal(data.entries.length);
  const check = await checkChain(data.entries, { onSteps, signal });
  const divergence =
    check.divergence ??
    findCut({ length: told.length, hash: told.head }, data.entries, [], check.head) ??
    findRefusal(told);
  if (divergence !== null) return { ...check, divergence };
  const { data: anchors } = await callApi('get', '/api/v1/lineage/removals', { signal });
  const payloads = data.entries.map(({ payload }) => payload);
  const otherFault = await checkRemovals(payloads, anchors);
  // Events may have been removed between the two downloads. That does not happen twice in a row.
  if (otherFault !== null && !isLastTry) return checkAudit({ ...progress, onSteps: () => {} }, true);
  return { ...check, otherFault };
}

export function AuditChain() {
  return (
    <ChainCard
      check={useChainCheck(checkAudit)}
      noun="entry"
      words={['Verify the whole log', 'Verify again']}
      idle="Downloads the whole log, computes every hash here, and compares what was removed for its age with what the log says."
      command="npm run agp -- audit verify"
      download={{ paths: ['/api/v1/audit/chain'], name: 'audit-log.json' }}
    />
  );
}
