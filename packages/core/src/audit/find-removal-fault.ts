import { type Anchor, anchorLeaf, countLinks, MerkleTree } from '../lineage/index.ts';
import { judgeRemovals } from './judge-removals.ts';

/** An anchor as the API lists it, with the public id of its removal; null for anchors from before removals had ids. */
export type PlacedAnchor = Anchor & { removal: string | null };

/**
 * Compares the anchors that retention kept with the audit log's entry of each removal: how many events it took, and the Merkle root
 * over its anchors. The tables' owner can delete events, heads and anchors and invent others, but not such that they match a root
 * in the log's chain.
 *
 * @param entries payloads of the audit log's chain, which was checked before
 * @param anchors all of them, in the API's order
 * @returns the first difference, in a sentence; null without any
 */
export function findRemovalFault(
  entries: Iterable<Readonly<Record<string, unknown>>>,
  anchors: Iterable<PlacedAnchor>,
): string | null {
  const gathered = new Map<string | null, { events: number; anchors: number; tree: MerkleTree }>();
  for (const { removal, ...anchor } of anchors) {
    const kept = gathered.get(removal) ?? { events: 0, anchors: 0, tree: new MerkleTree() };
    gathered.set(removal, kept);
    kept.events += countLinks(anchor);
    kept.anchors += 1;
    kept.tree.add(anchorLeaf(anchor));
  }
  const found = new Map(
    [...gathered].map(([removal, { tree, ...counts }]) => [removal, { ...counts, root: tree.root() }] as const),
  );
  return judgeRemovals(entries, found, new MerkleTree().root());
}
