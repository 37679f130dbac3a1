import { expect, test } from 'vitest';
import { emptyHead, type ServedLink } from './chain.ts';
import { findDivergence, hashLink } from './link.ts';

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
  expect(findDivergence(tampered, { session_id: 'ses_a' })).toEqual({ seq, reason: expect.stringMatching(reason) });
});

test('a chain of another session is found at its first link', () => {
  expect(findDivergence(makeChain(2), { session_id: 'ses_b' })).toMatchObject({
    seq: 0,
    reason: expect.stringContaining('session_id'),
  });
});
