import { findRemovalFault } from '@agp/core/audit';
import { findDivergence, hashLink, MerkleTree, type ServedLink } from '@agp/core/lineage';
import { expect, test } from 'vitest';
import { type CheckedLink, checkChain, checkRemovals, merkleRoot } from './check-chain.ts';

const owner = { session_id: 'ses_ä' };

function makeChain(length: number): ServedLink[] {
  let previous = 'genesis';
  return Array.from({ length }, (_, seq) => {
    const id = `evt_${seq}`;
    const payload = JSON.stringify({ id, seq, ...owner, text: 'für 東京 🚀' });
    previous = hashLink(previous, payload);
    return { seq, id, lineage_hash: previous, payload };
  });
}

/** Everything that somebody with write access to the tables may try, at one place of a chain. */
const forgeries: [name: string, forge: (chain: ServedLink[]) => ServedLink[]][] = [
  ['nothing', (chain) => chain],
  ['a payload', (chain) => chain.with(2, { ...(chain[2] as ServedLink), payload: '{"id":"evt_2","seq":2}' })],
  ['a payload that is no JSON', (chain) => chain.with(2, { ...(chain[2] as ServedLink), payload: '{' })],
  ['a hash', (chain) => chain.with(2, { ...(chain[2] as ServedLink), lineage_hash: `sha256:${'0'.repeat(64)}` })],
  ['the shown id', (chain) => chain.with(2, { ...(chain[2] as ServedLink), id: 'evt_other' })],
  ['the shown place', (chain) => chain.with(2, { ...(chain[2] as ServedLink), seq: 9 })],
  ['a link left out', (chain) => chain.toSpliced(2, 1)],
  ['a link twice', (chain) => chain.toSpliced(2, 0, chain[2] as ServedLink)],
  ['two links exchanged', (chain) => [0, 2, 1, 3, 4].map((at) => chain[at] as ServedLink)],
  ['the first link left out', (chain) => chain.slice(1)],
  [
    'a link with a fitting hash',
    (chain) => {
      const payload = JSON.stringify({ id: 'evt_2', seq: 2, session_id: 'ses_other' });
      const link = {
        ...(chain[2] as ServedLink),
        payload,
        lineage_hash: hashLink(chain[1]?.lineage_hash ?? '', payload),
      };
      return chain.with(2, link);
    },
  ],
];

test.each(forgeries)('the browser finds what the command line finds: %s', async (name, forge) => {
  const links = forge(makeChain(5));
  const { divergence } = await checkChain(links, { owner });
  expect(divergence).toEqual(findDivergence(links, owner));
  expect(divergence === null).toBe(name === 'nothing');
});

test('removed links are passed over, and only those', async () => {
  const chain = makeChain(6);
  const removed = [{ first_seq: 1, last_seq: 2, lineage_hash: chain[2]?.lineage_hash ?? '' }];
  const rest = chain.filter(({ seq }) => seq !== 1 && seq !== 2);
  expect(await checkChain(rest, { owner, removed })).toMatchObject({
    checked: 4,
    divergence: null,
    head: { length: 6, hash: chain[5]?.lineage_hash },
  });
  expect((await checkChain(rest, { owner })).divergence).toMatchObject({ seq: 1 });
});

test('every link is a step with the hash that was computed here, and the first fault is the last step', async () => {
  const steps: CheckedLink[] = [];
  const onSteps = (more: readonly CheckedLink[]) => steps.push(...more);
  const chain = makeChain(600);
  await checkChain(chain, { owner, onSteps });
  expect(steps).toHaveLength(600);
  expect(steps.every(({ computed, shown, fault }) => computed === shown && fault === null)).toBe(true);
  steps.length = 0;
  const forged = chain.with(300, { ...(chain[300] as ServedLink), payload: '{}' });
  const { divergence, checked } = await checkChain(forged, { owner, onSteps });
  expect([divergence?.seq, checked, steps.length]).toEqual([300, 301, 301]);
  expect(steps.at(-1)?.fault).toMatch(/hash/);
});

test('an empty chain ends at genesis', async () => {
  expect(await checkChain([])).toEqual({ checked: 0, divergence: null, head: { length: 0, hash: 'genesis' } });
});

test('a check that nobody waits for ends', async () => {
  const stop = new AbortController();
  stop.abort();
  await expect(checkChain(makeChain(300), { signal: stop.signal })).rejects.toThrow();
});

test.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 100])(
  'the root of %i leaves is that of the other implementation',
  async (count) => {
    const leaves = Array.from({ length: count }, (_, at) => `leaf ${at}`);
    const tree = new MerkleTree();
    for (const leaf of leaves) tree.add(leaf);
    expect(await merkleRoot(leaves)).toBe(tree.root());
  },
);

const anchor = { session_id: 'ses_1', first_seq: 0, last_seq: 9, lineage_hash: 'sha256:aa', removal: 'rem_1' };
const { removal: _, ...leaf } = anchor;

/** The verdict on removals, which the console and the command line must share. */
async function judgeBoth(befores: readonly unknown[], anchors: Parameters<typeof checkRemovals>[1]) {
  const entries = befores.map((before) => ({ action: 'events.retention', before }));
  const verdict = await checkRemovals(
    entries.map((entry) => JSON.stringify(entry)),
    anchors,
  );
  expect(findRemovalFault(entries, anchors)).toBe(verdict);
  return verdict;
}

test.each([
  ['as it was made', [anchor], true],
  ['lost', [], false],
  ['changed', [{ ...anchor, last_seq: 8 }], false],
  ['of a removal that nobody knows', [anchor, { ...leaf, removal: 'rem_2' }], false],
  ['of no removal', [{ ...leaf, removal: null }], false],
  [
    'two that cover nothing together',
    [anchor, { ...leaf, removal: null }, { ...leaf, first_seq: 11, last_seq: 0, removal: null }],
    false,
  ],
  ['before the start of its chain', [anchor, { ...leaf, first_seq: -5, last_seq: -5, removal: null }], false],
])('an anchor %s is judged by the console as by the command line', async (_, anchors, isWhole) => {
  const anchors_root = await merkleRoot([
    JSON.stringify({ first_seq: 0, last_seq: 9, lineage_hash: 'sha256:aa', session_id: 'ses_1' }),
  ]);
  const verdict = await judgeBoth([{ removal: 'rem_1', events: 10, anchors: 1, anchors_root }], anchors);
  expect(verdict === null).toBe(isWhole);
});

test.each([-1, 0.5, '1', null, 2 ** 53])('an entry that says %s events were removed is a fault', async (events) => {
  const old = { ...leaf, first_seq: 0, last_seq: 0, removal: null };
  expect(await judgeBoth([{ events }, { events: 2 }], [old])).toBe('a removal took a number of events that cannot be');
});

test('an entry that tells nothing of events is none of a removal of events', async () => {
  expect(await judgeBoth([null, { messages: 3 }], [])).toBeNull();
});
