import type { RemovedLinks } from './head.ts';

/** Kept in place of a run of links that retention removed from a session's chain. */
export interface Anchor extends RemovedLinks {
  session_id: string;
}

/** How many links were removed. @returns NaN for places that no run can have: counted, they would hide others */
export function countLinks({ first_seq, last_seq }: RemovedLinks): number {
  const areKnown = Number.isSafeInteger(first_seq) && Number.isSafeInteger(last_seq);
  return areKnown && first_seq >= 0 && last_seq >= first_seq ? last_seq - first_seq + 1 : Number.NaN;
}

/**
 * An anchor as a leaf of its removal's Merkle tree: RFC 8785 canonical JSON of exactly these members. `JSON.stringify` gives that
 * form, since the members are in order and such ids, hashes and small whole numbers have only one spelling in JSON.
 */
export function anchorLeaf({ first_seq, last_seq, lineage_hash, session_id }: Anchor): string {
  return JSON.stringify({ first_seq, last_seq, lineage_hash, session_id });
}
