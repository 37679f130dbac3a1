import { expect, test } from 'vitest';
import { emptyHead, findCut, type RemovedLinks } from './chain.ts';

const links = [0, 1, 2, 3].map((seq) => ({ seq, id: `evt_${seq}`, lineage_hash: `sha256:${seq}`, payload: '{}' }));
const headOf = (length: number) => (length === 0 ? emptyHead : { length, hash: `sha256:${length - 1}` });
const find = (length: number, kept: number, removed: RemovedLinks[] = []) => {
  const gone = removed.reduce((end, { last_seq }) => Math.max(end, last_seq + 1), 0);
  return findCut(headOf(length), links.slice(gone, kept), removed, headOf(Math.max(kept, gone)));
};

test.each([0, 1, 3])('of four links the last are gone, and %i are left: it is cut off there', (kept) => {
  expect(find(4, kept)).toEqual({ seq: kept, reason: expect.stringMatching(/cut off here.* length of 4$/) });
});

test('a whole chain, an empty one, and one that grew since its head was read are not cut', () => {
  expect([find(4, 4), find(0, 0), find(2, 4), find(0, 4)]).toEqual([null, null, null, null]);
});

test('a last link that was replaced by one with a hash that fits is found at its place', () => {
  const head = { length: 3, hash: 'sha256:other' };
  expect(findCut(head, links, [], headOf(4))).toMatchObject({ seq: 2, reason: expect.stringContaining('head') });
});

test('what retention removed counts, and its last hash too', () => {
  const removed = (last_seq: number, hash = `sha256:${last_seq}`) => [{ first_seq: 0, last_seq, lineage_hash: hash }];
  expect([find(4, 4, removed(1)), find(2, 2, removed(1)), find(2, 4, removed(2))]).toEqual([null, null, null]);
  expect(find(4, 3, removed(1))).toMatchObject({ seq: 3 });
  expect(find(2, 4, removed(1, 'sha256:other'))).toMatchObject({ seq: 1 });
});
