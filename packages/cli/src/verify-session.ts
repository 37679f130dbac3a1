import type { Event, Lineage, LineageRemovals, LineageVerdict } from '@agp/core/contracts';
import {
  type Divergence,
  emptyHead,
  findCut,
  findDivergence,
  findMisshown,
  findRefusal,
  passRemoved,
} from '@agp/core/lineage';

/**
 * Checks a session's chain by computing its hashes here, and compares its end with its head, and each event that the API shows with the
 * chain.
 *
 * @param told what the server says of the chain, asked before it was downloaded: its head; its judgement only counts where it is a no
 * @param lineage downloaded before the events
 * @param removed removals by retention, downloaded after the events
 * @param knownHead an earlier last hash, which an unchanged chain must still contain
 */
export function verifySession(
  sessionId: string,
  told: LineageVerdict,
  lineage: Lineage,
  events: readonly Event[],
  { removed }: LineageRemovals,
  knownHead?: string,
): { verdict: LineageVerdict; reason: string | null } {
  const links = lineage.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
  const last = links.at(-1);
  const head = passRemoved(last ? { length: last.seq + 1, hash: last.lineage_hash } : emptyHead, removed);
  const hashes = [...links, ...removed].map(({ lineage_hash }) => lineage_hash);
  const divergence =
    findDivergence(links, { session_id: sessionId }, removed) ??
    findCut({ length: told.length, hash: told.head }, links, removed, head) ??
    findMisshown(links, events, removed) ??
    findLoss(head.length, hashes, knownHead) ??
    findRefusal(told);
  const verdict = {
    session_id: sessionId,
    valid: divergence === null,
    length: head.length,
    head: head.hash,
    first_divergence: divergence?.seq ?? null,
  };
  const id = links.find(({ seq }) => seq === divergence?.seq)?.id;
  const place = divergence && `diverges at seq ${divergence.seq}${id === undefined ? '' : ` (${id})`}`;
  return { verdict, reason: place && `${sessionId} ${place}: ${divergence.reason}` };
}

function findLoss(length: number, hashes: readonly string[], knownHead: string | undefined): Divergence | null {
  if (knownHead === undefined || hashes.includes(knownHead)) return null;
  const reason =
    'the chain no longer has the hash that --head names: it was changed or cut, or is of an event that was removed';
  return { seq: length, reason };
}
