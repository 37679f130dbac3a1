import { type FoundRemoval, judgeRemovals } from '@agp/core/audit/removals';
import { type Anchor, anchorLeaf, countLinks } from '@agp/core/chain';
import { merkleRoot } from './merkle-root.ts';

type PlacedAnchor = Anchor & { removal: string | null };

/**
 * Compares what retention removed, as the audit log tells it, with the anchors that it left.
 *
 * @param payloads of the audit log's chain, which was checked before
 * @returns the first difference, in a sentence; null without any
 */
export async function checkRemovals(
  payloads: readonly string[],
  anchors: readonly PlacedAnchor[],
): Promise<string | null> {
  const found = new Map<string | null, FoundRemoval>();
  for (const [removal, own] of Map.groupBy(anchors, (anchor) => anchor.removal)) {
    found.set(removal, {
      events: own.reduce((sum, anchor) => sum + countLinks(anchor), 0),
      anchors: own.length,
      root: await merkleRoot(own.map(anchorLeaf)),
    });
  }
  const entries = payloads.map((payload) => JSON.parse(payload) as Record<string, unknown>);
  return judgeRemovals(entries, found, await merkleRoot([]));
}
