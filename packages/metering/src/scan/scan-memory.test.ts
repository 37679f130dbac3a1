import { createPiiFinder, type PiiType } from '@agp/pii';
import { expect, test } from 'vitest';
import type { TextSource } from '../text-source.ts';
import { ScanMemory } from './scan-memory.ts';
import { scanTexts } from './scan-texts.ts';

const filler = 'Nothing of interest stands in this sentence about ships and harbours. ';
const find = createPiiFinder();
const written = (...parts: string[]): TextSource => ({ parts, whole: true });

/** Scans texts, and counts the searches that took place. */
function watch(memory: ScanMemory) {
  let searches = 0;
  const scan = (text: string, types: PiiType[] = []) =>
    memory.scan(text, () => {
      searches += 1;
      return { types, searched: true, missed: null };
    });
  return { scan, searches: () => searches };
}

test('a conversation that grows is searched only where it is new, and what is found is the same', () => {
  const memory = new ScanMemory();
  const turns = Array.from({ length: 20 }, (_, turn) =>
    turn % 5 === 3 ? `${filler}Write to jane.roe${turn}@example.com.` : `${filler}Turn ${turn}.`,
  );
  let searched = 0;
  const counting = (text: string) => {
    searched += 1;
    return find(text);
  };
  for (let length = 1; length <= turns.length; length += 1) {
    const conversation = [written(...turns.slice(0, length))];
    const remembered = scanTexts(conversation, counting, () => true, memory);
    expect(remembered).toEqual(scanTexts(conversation, find, () => true));
  }
  expect(searched).toBe(turns.length);
});

test('JSON in a text that was searched before still counts as searched in full', () => {
  const memory = new ScanMemory();
  const call = JSON.stringify({ to: 'jane.roe@example.com', note: filler }).replace('@', '\\u0040');
  for (let times = 0; times < 2; times += 1)
    expect(scanTexts([written(call)], find, () => true, memory)).toMatchObject({ types: ['email'], extent: 'full' });
});

test('what was not searched to its end is searched again', () => {
  const memory = new ScanMemory();
  let nested = JSON.stringify([filler]);
  for (let level = 0; level < 7; level += 1) nested = JSON.stringify([nested]);
  for (let times = 0; times < 2; times += 1)
    expect(scanTexts([written(nested)], find, () => true, memory)).toEqual(
      scanTexts([written(nested)], find, () => true),
    );
  const long = `${filler.repeat(2_000)}jane.roe@example.com`;
  let left = 1;
  expect(scanTexts([written(long)], find, () => left-- > 0, memory)).toMatchObject({ missed: 'out_of_time' });
  expect(scanTexts([written(long)], find, () => true, memory)).toMatchObject({ types: ['email'], missed: null });
});

test('texts that differ in half a character are two texts', () => {
  const { scan } = watch(new ScanMemory());
  const variants = ['\ud800', '\ud801', '\udc00', '\ufffd'].map((half) => `${filler}${half}`);
  for (const text of variants.slice(0, 3)) expect(scan(text, ['email']).types).toEqual(['email']);
  expect(scan(`${filler}\ufffd`, []).types).toEqual([]);
  for (const text of variants.slice(0, 3)) expect(scan(text, ['iban']).types).toEqual(['iban']);
});

test('it holds a bounded number of digests, those asked for last', () => {
  const { scan, searches } = watch(new ScanMemory(10));
  const often = `${filler}the system prompt`;
  for (let index = 0; index < 1_000; index += 1) {
    scan(`${filler}${index}`);
    scan(often);
  }
  expect(searches()).toBe(1_001);
  scan(`${filler}0`);
  expect(searches()).toBe(1_002);
});

test('a short word is searched once, or each time if something is in it; a sentence is not kept', () => {
  const { scan, searches } = watch(new ScanMemory());
  for (let times = 0; times < 3; times += 1) scan('gpt-4o-mini-2024-07-18');
  expect(searches()).toBe(1);
  for (let times = 0; times < 3; times += 1) expect(scan('jane@example.com', ['email']).types).toEqual(['email']);
  expect(searches()).toBe(4);
  for (let index = 0; index < 5_000; index += 1) scan(String(index));
  scan('gpt-4o-mini-2024-07-18');
  expect(searches()).toBe(5_005);
  for (let times = 0; times < 3; times += 1) scan('A short sentence');
  expect(searches()).toBe(5_008);
});
