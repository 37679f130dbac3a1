import { type CheckedLink, checkChain, hashLink } from '@agp/core/lineage';
import { expect, test } from 'vitest';
import { runCheck } from './use-chain-check.ts';

const chain = Array.from({ length: 1_201 }, (_, seq) => ({
  seq,
  id: `evt_${seq}`,
  payload: `{"id":"evt_${seq}","seq":${seq}}`,
}));
let previous = 'genesis';
const links = chain.map((link) => {
  previous = hashLink(previous, link.payload);
  return { ...link, lineage_hash: previous };
});

test('a long chain is checked some links at a time, and none is left out', async () => {
  const told: CheckedLink[][] = [];
  const check = await runCheck(checkChain(links), (more) => told.push([...more]), new AbortController().signal);
  expect(check).toMatchObject({ checked: 1_201, divergence: null, head: { length: 1_201, hash: previous } });
  expect(told.length).toBeGreaterThan(2);
  expect(told.flat().map(({ seq }) => seq)).toEqual(links.map(({ seq }) => seq));
});

test('a check that nobody waits for ends', async () => {
  const signal = AbortSignal.abort();
  await expect(runCheck(checkChain(links), () => {}, signal)).rejects.toThrow();
});
