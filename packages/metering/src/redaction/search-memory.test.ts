import { expect, test } from 'vitest';
import { TextMemory } from '../text/text-memory.ts';
import { openSearch, type SearchConfig, type SearchMemory } from './redaction.ts';
import { searchBytes } from './search-bytes.ts';

const filler = 'Nothing of interest stands in this sentence about ships and harbours.';
const turns = Array.from({ length: 12 }, (_, turn) =>
  turn % 3 === 1 ? `${filler} Write to jane.roe${turn}@example.com, or to A-${turn}0.` : `${filler} Turn ${turn}.`,
);
const own = { kind: 'p/own', pattern: 'A-[0-9]{2,4}', longest: 8 };
const config = (more: Partial<SearchConfig> = {}): SearchConfig => ({
  kinds: ['email', 'p/own'],
  patterns: [own],
  findsLabels: false,
  ...more,
});

const ask = (
  texts: readonly string[],
  asked: SearchConfig,
  memory: SearchMemory | null,
  search = openSearch(asked, memory),
) => {
  const bytes = Buffer.from(JSON.stringify({ messages: texts.map((content) => ({ role: 'user', content })) }));
  return searchBytes(
    { bytes, contentType: 'application/json', from: 'request', mayBeText: false, config: asked },
    memory,
    search,
  );
};

test('a conversation that grows is searched only where it is new, and what is found is the same', () => {
  const memory: SearchMemory = new TextMemory();
  let looked = 0;
  const get = memory.get.bind(memory);
  memory.get = (key) => {
    const known = get(key);
    looked += Number(known === undefined);
    return known;
  };
  for (let length = 1; length <= turns.length; length += 1) {
    const conversation = turns.slice(0, length);
    const found = ask(conversation, config(), memory);
    expect(found).toEqual(ask(conversation, config(), null));
    expect(found.places.filter(({ kind }) => kind === 'email')).toHaveLength(Math.ceil((length - 1) / 3));
  }
  expect(looked).toBe(turns.length);
});

test.each([
  ['another kind', config({ kinds: ['phone'] })],
  ['another pattern of the same name', config({ patterns: [{ ...own, pattern: 'B-[0-9]{2,4}' }] })],
  ['values of a session', config({ values: [{ kind: 'email', value: 'ships and harbours' }] })],
  ['what is repeated', config({ repeats: true })],
])('what was found before says nothing of %s', (_name, asked) => {
  const memory: SearchMemory = new TextMemory();
  ask(turns, config(), memory);
  for (let times = 0; times < 2; times += 1) expect(ask(turns, asked, memory)).toEqual(ask(turns, asked, null));
});

test('decisions of one call are not those of the next', () => {
  const memory: SearchMemory = new TextMemory();
  const [first] = ask(turns, config(), memory).places;
  if (first) first.decided.instead = 'decided';
  expect(ask(turns, config(), memory).places[0]?.decided).toEqual({});
});

test('no text and no value is kept, and nothing of a call in which nothing is looked for', () => {
  const memory: SearchMemory = new TextMemory();
  const kept: string[] = [];
  const keep = memory.keep.bind(memory);
  memory.keep = (key, value) => {
    kept.push(JSON.stringify([key, value]));
    keep(key, value);
  };
  ask(turns, config({ kinds: [], patterns: [] }), memory);
  expect(kept).toEqual([]);
  ask(turns, config(), memory);
  expect(kept).toHaveLength(turns.length);
  expect(kept.join()).not.toMatch(/jane|ships|example/);
});
