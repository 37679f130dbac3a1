import { createHash } from 'node:crypto';
import type { EventMessage } from '../events/event-message.ts';
import { buildPayload } from './build-payload.ts';
import {
  type Divergence,
  emptyHead,
  judgeLink,
  type LineageHead,
  passRemoved,
  type RemovedLinks,
  type ServedLink,
} from './chain.ts';

export interface LinkedEvent {
  event: EventMessage;
  seq: number;
  payload: string;
  lineageHash: string;
}

/** `sha256:` and the hex SHA-256 of the UTF-8 bytes of the previous hash followed by the payload. */
export function hashLink(previousHash: string, payload: string): string {
  return `sha256:${createHash('sha256').update(previousHash).update(payload).digest('hex')}`;
}

/** Gives an event the next place in its session's chain. */
export function link(head: LineageHead, event: EventMessage): LinkedEvent {
  const payload = buildPayload(event, head.length);
  return { event, seq: head.length, payload, lineageHash: hashLink(head.hash, payload) };
}

export function headAfter({ seq, lineageHash }: LinkedEvent): LineageHead {
  return { length: seq + 1, hash: lineageHash };
}

/**
 * Recomputes every hash of a chain from its first link on, and compares each payload with the fields shown with it and with `owner`. After
 * removed links it continues from the last hash of them; any other missing link is a divergence. Returns null if nothing was changed.
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

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

const hashLeaf = (leaf: string) => createHash('sha256').update(leafPrefix).update(leaf).digest();
const hashNode = (left: Uint8Array, right: Uint8Array) =>
  createHash('sha256').update(nodePrefix).update(left).update(right).digest();

/**
 * A Merkle tree as in RFC 6962 (section 2.1): `SHA-256(0x00 | leaf)` for a leaf, `SHA-256(0x01 | left | right)` for a node, whose left side
 * has the largest power of two of leaves. Keeps only the roots of the full trees so far: a few dozen hashes for any number of leaves.
 */
export class MerkleTree {
  readonly #full: { height: number; hash: Buffer }[] = [];

  add(leaf: string): void {
    let height = 0;
    let hash = hashLeaf(leaf);
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
    const root = hashes.reduceRight<Buffer | null>((right, left) => (right ? hashNode(left, right) : left), null);
    return `sha256:${(root ?? createHash('sha256').digest()).toString('hex')}`;
  }
}
