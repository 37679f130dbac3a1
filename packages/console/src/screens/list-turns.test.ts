import { expect, test } from 'vitest';
import { listTurns } from './list-turns.ts';

const link = (id: string, second: number, duration_ms: number | null, called: object[] = []) => ({
  payload: JSON.stringify({
    ...{ id, model: 'm', timestamp: `2026-11-27T10:00:0${second}.000Z`, duration_ms, outcome: 'completed' },
    ...(called.length > 0 && { tools: { declared: [], called, more: 0 } }),
  }),
});

test('turns are in the order of their starts, with the gap to the next one and the tools they called', () => {
  const turns = listTurns([
    link('b', 3, 500, [
      { kind: 'client', names: ['find'] },
      { kind: 'remote_mcp', names: ['docs'] },
    ]),
    link('a', 1, 1_500),
    link('c', 4, null),
    link('d', 9, 10),
  ]);
  expect(turns.map(({ id, gap }) => [id, gap])).toEqual([
    ['a', 500],
    ['b', 500],
    ['c', 5_000],
    ['d', null],
  ]);
  expect(turns[1]?.tools).toEqual(['find', 'remote MCP: docs']);
});

test('turns that overlap have no gap between them', () => {
  expect(listTurns([link('a', 1, 3_000), link('b', 2, 10)]).map(({ gap }) => gap)).toEqual([null, null]);
});
