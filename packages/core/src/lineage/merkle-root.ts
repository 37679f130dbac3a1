import { createHash } from 'node:crypto';

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

const hashLeaf = (leaf: string) => createHash('sha256').update(leafPrefix).update(leaf).digest();
const hashNode = (left: Uint8Array, right: Uint8Array) =>
  createHash('sha256').update(nodePrefix).update(left).update(right).digest();

/**
 * A Merkle tree as in RFC 6962 (section 2.1): `SHA-256(0x00 | leaf)` for a leaf, `SHA-256(0x01 | left | right)` for a node, whose left
 * side has the largest power of two of leaves that leaves at least one for the right. Takes leaves one by one and keeps only the roots
 * of the full trees so far: a few dozen hashes for any number of leaves.
 */
export class MerkleTree {
  /** Full trees from left to right; no two have the same height. */
  readonly #full: { height: number; hash: Buffer }[] = [];

  /** Adds the next leaf, as UTF-8. */
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

  /** `sha256:` and the hex digest of the root; that of no bytes where there is no leaf. More leaves may follow. */
  root(): string {
    const hashes = this.#full.map(({ hash }) => hash);
    const root = hashes.reduceRight<Buffer | null>((right, left) => (right ? hashNode(left, right) : left), null);
    return `sha256:${(root ?? createHash('sha256').digest()).toString('hex')}`;
  }
}
