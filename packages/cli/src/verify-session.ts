import type { Event, Lineage, LineageRemovals } from '@agp/core/contracts';
import { type Divergence, emptyHead, findDivergence, findMisshown, passRemoved } from '@agp/core/lineage';

/** The result, in the form of the API's own verification. */
export interface SessionVerdict {
  session_id: string;
  valid: boolean;
  length: number;
  head: string;
  /** Place of the first event that is not as it was written. */
  first_divergence: number | null;
}

/**
 * Checks a session's chain by computing its hashes here, and compares each event that the API shows with the chain.
 *
 * @param lineage downloaded before the events
 * @param removed removals by retention, downloaded after the events
 * @param knownHead an earlier last hash, which an unchanged chain must still contain
 */
export function verifySession(
  sessionId: string,
  lineage: Lineage,
  events: readonly Event[],
  { removed }: LineageRemovals,
  knownHead?: string,
): { verdict: SessionVerdict; reason: string | null } {
  const links = lineage.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
  const last = links.at(-1);
  const head = passRemoved(last ? { length: last.seq + 1, hash: last.lineage_hash } : emptyHead, removed);
  const hashes = [...links, ...removed].map(({ lineage_hash }) => lineage_hash);
  const divergence =
    findDivergence(links, { session_id: sessionId }, removed) ??
    findMisshown(links, events, removed) ??
    findLoss(head.length, hashes, knownHead);
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
