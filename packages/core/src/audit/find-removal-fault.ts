import { type Anchor, anchorLeaf, MerkleTree } from '../lineage/index.ts';

/** An anchor as the API lists it, with the public id of its removal; null for anchors from before removals had ids. */
export type PlacedAnchor = Anchor & { removal: string | null };

/** The member `before` of an entry `events.retention`, as far as it is about events. */
interface ToldRemoval {
  events: number;
  removal?: string;
  anchors?: number;
  anchors_root?: string;
}

interface FoundRemoval {
  events: number;
  anchors: number;
  tree: MerkleTree;
}

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
  const found = gatherAnchors(anchors);
  let untied = 0;
  for (const { action, before } of entries) {
    if (action !== 'events.retention') continue;
    const told = before as ToldRemoval;
    if (told.events === undefined) continue;
    if (told.removal === undefined) {
      untied += told.events;
      continue;
    }
    const kept = found.get(told.removal) ?? { events: 0, anchors: 0, tree: new MerkleTree() };
    found.delete(told.removal);
    if (kept.anchors !== told.anchors)
      return `removal ${told.removal} made ${told.anchors} anchors, and there are ${kept.anchors}`;
    if (kept.tree.root() !== told.anchors_root)
      return `the anchors of removal ${told.removal} were changed: their root differs from its own`;
    if (kept.events !== told.events)
      return `removal ${told.removal} took ${told.events} events, and its anchors cover ${kept.events}`;
  }
  const old = found.get(null)?.events ?? 0;
  if (old !== untied) return `removals without a root took ${untied} events, and their anchors cover ${old}`;
  found.delete(null);
  const [unknown] = found.keys();
  return unknown === undefined ? null : `there are anchors of removal ${unknown}, which the audit log does not have`;
}

function gatherAnchors(anchors: Iterable<PlacedAnchor>): Map<string | null, FoundRemoval> {
  const found = new Map<string | null, FoundRemoval>();
  for (const { removal, ...anchor } of anchors) {
    const kept = found.get(removal) ?? { events: 0, anchors: 0, tree: new MerkleTree() };
    found.set(removal, kept);
    kept.events += anchor.last_seq - anchor.first_seq + 1;
    kept.anchors += 1;
    kept.tree.add(anchorLeaf(anchor));
  }
  return found;
}
