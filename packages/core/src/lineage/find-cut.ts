import type { LineageHead, RemovedLinks } from './head.ts';
import type { Divergence, ServedLink } from './judge-link.ts';

/**
 * Whether the end of a chain was cut off. What was recorded after the head was read only makes the chain longer than the head says.
 *
 * @param head read before the chain; it is stored apart from the links
 * @param links of a chain that was checked before
 * @param removed in chain order
 * @param reached where the chain ends, removed links included
 */
export function findCut(
  head: LineageHead,
  links: readonly ServedLink[],
  removed: readonly RemovedLinks[],
  reached: LineageHead,
): Divergence | null {
  if (reached.length < head.length) {
    const reason = `it was cut off here: by its head, which is stored apart from it, it has a length of ${head.length}`;
    return { seq: reached.length, reason };
  }
  if (head.length === 0) return null;
  const seq = head.length - 1;
  const last = links.find((link) => link.seq === seq) ?? removed.find(({ last_seq }) => last_seq === seq);
  // Inside of a run that was removed meanwhile, nothing shows that hash any more.
  if (last === undefined || last.lineage_hash === head.hash) return null;
  return { seq, reason: 'its hash is not that of the head, which is stored apart from the chain' };
}
