/** The end of a session's chain: how many events it has, and the hash of the last one. */
export interface LineageHead {
  length: number;
  hash: string;
}

/** The head of a chain without events: the first link's hash covers `genesis` in place of a previous hash. */
export const emptyHead: LineageHead = { length: 0, hash: 'genesis' };

/** A run of links that were removed from a chain because they were too old, first and last included. */
export interface RemovedLinks {
  first_seq: number;
  last_seq: number;
  /** Hash of the last one, which the next link's hash covers. */
  lineage_hash: string;
}

/**
 * The head of a chain after skipping the removed links that follow it.
 *
 * @param removed in chain order
 * @param next place of the next link that still exists; none by default
 */
export function passRemoved(
  head: LineageHead,
  removed: readonly RemovedLinks[],
  next = Number.POSITIVE_INFINITY,
): LineageHead {
  let { length, hash } = head;
  for (const { first_seq, last_seq, lineage_hash } of removed) {
    if (first_seq > length || last_seq < length || last_seq >= next) continue;
    length = last_seq + 1;
    hash = lineage_hash;
  }
  return { length, hash };
}
