import { emptyHead, passRemoved, type RemovedLinks } from './head.ts';
import { type Divergence, judgeLink, type ServedLink } from './judge-link.ts';
import { hashLink } from './link.ts';

/**
 * Recomputes every hash of a chain from its first link on, and compares each payload with the fields shown with it. After removed
 * links it continues from the hash of the last of them; any other missing link is a divergence.
 *
 * @param owner members that every payload must have with these values, for example the session's id
 * @param removed in their order
 * @returns null where nothing was changed
 */
export function findDivergence(
  links: readonly ServedLink[],
  owner: Record<string, unknown> = {},
  removed: readonly RemovedLinks[] = [],
): Divergence | null {
  let head = emptyHead;
  for (const link of links) {
    const { length: seq, hash: previous } = passRemoved(head, removed, link.seq);
    const divergence = judgeLink(link, { seq, computed: hashLink(previous, link.payload) }, owner);
    if (divergence !== null) return divergence;
    head = { length: seq + 1, hash: link.lineage_hash };
  }
  return null;
}
