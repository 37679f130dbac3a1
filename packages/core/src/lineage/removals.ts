import { hexToBytes } from '@noble/hashes/utils.js';
import { hexSha256 } from '#sha256';
import { parseJson } from '../json.ts';
import type { RemovedLinks, ServedLink } from './chain.ts';

/** Kept in place of a run of links that retention removed from a session's chain. */
export interface Anchor extends RemovedLinks {
  session_id: string;
}

/** An anchor as a leaf of its removal's Merkle tree: RFC 8785 canonical JSON of exactly these members. */
export function anchorLeaf({ first_seq, last_seq, lineage_hash, session_id }: Anchor): string {
  return JSON.stringify({ first_seq, last_seq, lineage_hash, session_id });
}

/** NaN for places that no run can have: counted, they would hide others. */
function countLinks({ first_seq, last_seq }: RemovedLinks): number {
  const areKnown = Number.isSafeInteger(first_seq) && Number.isSafeInteger(last_seq);
  return areKnown && first_seq >= 0 && last_seq >= first_seq ? last_seq - first_seq + 1 : Number.NaN;
}

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

const hashNode = (left: string, right: string) => hexSha256(nodePrefix, hexToBytes(left), hexToBytes(right));

/**
 * A Merkle tree as in RFC 6962 (section 2.1): `SHA-256(0x00 | leaf)` for a leaf, `SHA-256(0x01 | left | right)` for a node, whose left side
 * has the largest power of two of leaves. Keeps only the roots of the full trees so far: a few dozen hashes for any number of leaves.
 */
export class MerkleTree {
  readonly #full: { height: number; hash: string }[] = [];

  add(leaf: string): void {
    let height = 0;
    let hash = hexSha256(leafPrefix, leaf);
    for (let left = this.#full.at(-1); left?.height === height; left = this.#full.at(-1)) {
      this.#full.pop();
      hash = hashNode(left.hash, hash);
      height += 1;
    }
    this.#full.push({ height, hash });
  }

  /** `sha256:` and the hex digest of the root; that of no bytes without a leaf. More leaves may follow. */
  root(): string {
    const hashes = this.#full.map(({ hash }) => hash);
    const root = hashes.reduceRight<string | null>((right, left) => (right ? hashNode(left, right) : left), null);
    return `sha256:${root ?? hexSha256()}`;
  }
}

/** An anchor with the public id of its removal; null for anchors from before removals had ids. */
type PlacedAnchor = Anchor & { removal: string | null };

interface ToldRemoval {
  events: number;
  removal?: string;
  anchors?: number;
  anchors_root?: string;
}

/**
 * Compares retention's anchors with the audit log's entry of each removal: how many events it took, and the Merkle root over its anchors.
 * The tables' owner can invent anchors, but none that match a root in the log's chain. Returns the first difference in a sentence, or null.
 * @param entries links of the audit log's chain, which was checked before
 */
export function findRemovalFault(
  entries: Iterable<Pick<ServedLink, 'payload'>>,
  anchors: Iterable<PlacedAnchor>,
): string | null {
  const left = new Map<string | null, { events: number; anchors: number; tree: MerkleTree }>();
  const take = (removal: string | null) => {
    const found = left.get(removal) ?? { events: 0, anchors: 0, tree: new MerkleTree() };
    left.delete(removal);
    return found;
  };
  for (const { removal, ...anchor } of anchors) {
    const kept = take(removal);
    left.set(removal, { ...kept, events: kept.events + countLinks(anchor), anchors: kept.anchors + 1 });
    kept.tree.add(anchorLeaf(anchor));
  }
  for (const { events } of left.values()) if (Number.isNaN(events)) return 'an anchor has places that cannot be';
  let untied = 0;
  for (const { payload } of entries) {
    const { action, before } = parseJson(payload) as { action: string; before: ToldRemoval | null };
    if (action !== 'events.retention' || before?.events === undefined) continue;
    // Fewer than none would hide others.
    if (!Number.isSafeInteger(before.events) || before.events < 0)
      return 'a removal took a number of events that cannot be';
    if (before.removal === undefined) {
      untied += before.events;
      continue;
    }
    const kept = take(before.removal);
    if (kept.anchors !== before.anchors)
      return `removal ${before.removal} made ${before.anchors} anchors, and there are ${kept.anchors}`;
    if (kept.tree.root() !== before.anchors_root)
      return `the anchors of removal ${before.removal} were changed: their root differs from its own`;
    if (kept.events !== before.events)
      return `removal ${before.removal} took ${before.events} events, and its anchors cover ${kept.events}`;
  }
  const old = take(null).events;
  if (old !== untied) return `removals without a root took ${untied} events, and their anchors cover ${old}`;
  const [unknown] = left.keys();
  return unknown === undefined ? null : `there are anchors of removal ${unknown}, which the audit log does not have`;
}
