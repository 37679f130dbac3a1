import { expect, test } from 'vitest';
import { checkChain, emptyHead, finishCheck, hashLink, type ServedLink } from './chain.ts';

const check = (...given: Parameters<typeof checkChain>) => finishCheck(checkChain(...given));

function makeChain(count: number): ServedLink[] {
  let previous = emptyHead.hash;
  return Array.from({ length: count }, (_, seq) => {
    const payload = JSON.stringify({ id: `evt_${seq}`, seq, session_id: 'ses_a', text: 'modèle 模型' });
    previous = hashLink(previous, payload);
    return { seq, id: `evt_${seq}`, lineage_hash: previous, payload };
  });
}

/** Makes the hashes fit again, as somebody would who covers up a change. */
function rehash(tampered: ServedLink[]): ServedLink[] {
  let previous = emptyHead.hash;
  return tampered.map((link) => {
    previous = hashLink(previous, link.payload);
    return { ...link, lineage_hash: previous };
  });
}

/** The same chain with one link otherwise. */
function changed(chain: ServedLink[], seq: number, fields: Partial<ServedLink>): ServedLink[] {
  return chain.map((link) => (link.seq === seq ? { ...link, ...fields } : link));
}

const chain = makeChain(4);
const [first, second] = chain as [ServedLink, ServedLink];

const tamperings: [string, number, RegExp, ServedLink[]][] = [
  ['a payload changed', 1, /hash/, changed(chain, 1, { payload: second.payload.replace('evt_1', 'evt_9') })],
  ['a payload that is no object', 2, /seq/, rehash(changed(chain, 2, { payload: 'null' }))],
  ['a payload that is no JSON', 2, /seq/, rehash(changed(chain, 2, { payload: '{' }))],
  ['a hash changed', 3, /hash/, changed(chain, 3, { lineage_hash: `sha256:${'0'.repeat(64)}` })],
  ['a link left out', 1, /hash/, chain.toSpliced(1, 1)],
  ['a link left out, and the rest hashed anew', 1, /seq/, rehash(chain.toSpliced(1, 1))],
  ['two links exchanged', 0, /hash/, chain.toSpliced(0, 2, second, first)],
  ['a link shown under another id', 2, / id /, changed(chain, 2, { id: 'evt_other' })],
  ['a link shown at another place', 2, /number 7/, changed(chain, 2, { seq: 7 })],
];

test.each(tamperings)('%s is found where it is', (_, seq, reason, tampered) => {
  expect(check(tampered, { session_id: 'ses_a' }).divergence).toEqual({ seq, reason: expect.stringMatching(reason) });
});

test('a chain of another session is found at its first link', () => {
  expect(check(makeChain(2), { session_id: 'ses_b' }).divergence).toMatchObject({
    seq: 0,
    reason: expect.stringContaining('session_id'),
  });
});

test('removed links are passed over, and only those', () => {
  const removed = [{ first_seq: 1, last_seq: 2, lineage_hash: chain[2]?.lineage_hash ?? '' }];
  const rest = chain.toSpliced(1, 2);
  const head = { length: 4, hash: chain[3]?.lineage_hash };
  expect(check(rest, {}, removed)).toEqual({ checked: 2, divergence: null, head });
  expect(check(rest).divergence).toMatchObject({ seq: 1 });
});

test('every link is told with the hash that was computed, and the first fault is the last', () => {
  const told = [...checkChain(chain)];
  expect(told.map(({ shown }) => shown)).toEqual(chain.map(({ lineage_hash }) => lineage_hash));
  expect(told.every(({ computed, shown, fault }) => computed === shown && fault === null)).toBe(true);
  const forged = [...checkChain(changed(chain, 2, { payload: '{}' }))];
  expect(forged.map(({ seq, fault }) => [seq, fault !== null])).toEqual([
    [0, false],
    [1, false],
    [2, true],
  ]);
});

test('an empty chain ends at genesis', () => {
  expect(check([])).toEqual({ checked: 0, divergence: null, head: emptyHead });
});
