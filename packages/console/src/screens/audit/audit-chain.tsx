import { checkServedChain, findRemovalFault } from '@agp/core/lineage';
import { callApi } from '../../api/api.ts';
import { ChainCard } from '../../verify/chain-card.tsx';
import { type Finding, type Progress, useChainCheck } from '../../verify/use-chain-check.ts';

/**
 * Downloads the audit log's chain, computes every hash in this browser, and compares its end with its head, and what retention removed with
 * what the log says.
 */
export async function checkAudit(progress: Progress, isLastTry = false): Promise<Finding> {
  const { signal, run } = progress;
  const { data: told } = await callApi('get', '/api/v1/audit/verify', { signal });
  const { data: chain } = await callApi('get', '/api/v1/audit/chain', { signal });
  const check = await run(checkServedChain(told, chain.entries), chain.entries.length);
  if (check.divergence !== null) return check;
  const { data: anchors } = await callApi('get', '/api/v1/lineage/removals', { signal });
  const otherFault = findRemovalFault(chain.entries, anchors);
  // Events may have been removed between the two downloads. That does not happen twice in a row.
  if (otherFault !== null && !isLastTry) return checkAudit(progress, true);
  return { ...check, otherFault };
}

export function AuditChain() {
  return (
    <ChainCard
      check={useChainCheck(checkAudit)}
      noun="entry"
      words={['Verify the whole log', 'Verify again']}
      idle="Downloads the whole log, computes every hash here, and compares what was removed for its age with what the log says."
      download={{ paths: ['/api/v1/audit/chain'], name: 'audit-log.json' }}
    />
  );
}
