import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anchorLeaf, findRemovalFault, MerkleTree } from './removals.ts';

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** RFC 6962 section 2.1, word for word: recursive, and with another library. */
function treeHash(leaves: Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return sha256(Buffer.of(0), only);
  let k = 1;
  while (2 * k < leaves.length) k *= 2;
  return sha256(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
}

function rootOf(leaves: readonly string[]): string {
  const tree = new MerkleTree();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root();
}

test('roots are those of a second implementation that follows the RFC word for word', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: 'binary' }).map((leaf) => leaf.toWellFormed()),
        { maxLength: 70 },
      ),
      (leaves) => {
        const root = treeHash(leaves.map((leaf) => Buffer.from(leaf))).toString('hex');
        expect(rootOf(leaves)).toBe(`sha256:${root}`);
      },
    ),
  );
});

test('known roots: of nothing, and of one empty leaf', () => {
  expect(rootOf([])).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(rootOf([''])).toBe('sha256:6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
});

test('a leaf that is changed, removed, added or moved changes the root', () => {
  const leaf = fc.string({ minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.uniqueArray(leaf, { minLength: 2, maxLength: 20 }), fc.nat(), (leaves, at) => {
      const place = at % leaves.length;
      const root = rootOf(leaves);
      expect(rootOf(leaves.with(place, `${leaves[place]}!`))).not.toBe(root);
      expect(rootOf(leaves.toSpliced(place, 1))).not.toBe(root);
      expect(rootOf([...leaves, 'more'])).not.toBe(root);
      expect(rootOf(leaves.toReversed())).not.toBe(root);
    }),
  );
});

const anchor = { session_id: 'ses_1', first_seq: 0, last_seq: 9, lineage_hash: 'sha256:aa', removal: 'rem_1' };
const untied = { ...anchor, removal: null };

function findFault(befores: readonly unknown[], anchors: Parameters<typeof findRemovalFault>[1]): string | null {
  const entries = befores.map((before) => ({ payload: JSON.stringify({ action: 'events.retention', before }) }));
  return findRemovalFault(entries, anchors);
}

test.each([
  ['as it was made', [anchor], null],
  ['lost', [], /made 1 anchors, and there are 0/],
  ['changed', [{ ...anchor, last_seq: 8 }], /their root differs/],
  ['of a removal that nobody knows', [anchor, { ...anchor, removal: 'rem_2' }], /of removal rem_2, which/],
  ['of no removal', [untied], /made 1 anchors, and there are 0/],
  ['two that cover nothing together', [anchor, untied, { ...untied, first_seq: 11, last_seq: 0 }], /cannot be/],
  ['before the start of its chain', [anchor, { ...untied, first_seq: -5, last_seq: -5 }], /cannot be/],
  ['more than was removed', [anchor, untied], /took 0 events, and their anchors cover 10/],
])('an anchor %s is judged by the removal that the audit log tells', (_, anchors, reason) => {
  const told = { removal: 'rem_1', events: 10, anchors: 1, anchors_root: rootOf([anchorLeaf(anchor)]) };
  const fault = findFault([told], anchors);
  if (reason === null) expect(fault).toBeNull();
  else expect(fault).toMatch(reason);
});

test.each([-1, 0.5, '1', null, 2 ** 53])('an entry that says %s events were removed is a fault', (events) => {
  const old = { ...untied, last_seq: 0 };
  expect(findFault([{ events }, { events: 2 }], [old])).toBe('a removal took a number of events that cannot be');
});

test('an entry that tells nothing of events is none of a removal of events', () => {
  expect(findFault([null, { messages: 3 }], [])).toBeNull();
});
