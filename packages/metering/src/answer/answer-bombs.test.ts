import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FairShares } from '@agp/runtime/fairness';
import { expect, test } from 'vitest';
import type { Operation } from '../dialects/operation.ts';
import { matchOperation } from '../match-operation.ts';
import { openAnswerPipe } from './answer-pipe.ts';
import { openMemoryShare } from './reading.ts';

const script = new URL('../../test/hold-bombs.ts', import.meta.url).pathname;

/** Of V8, which needs some twenty for the code alone. */
const heapMegabytes = 64;

test("answers made to fill their reader's memory are read in little of it", async () => {
  const run = promisify(execFile)(process.execPath, [`--max-old-space-size=${heapMegabytes}`, script]);
  expect((await run).stdout).toMatch(/^(?:.+ are read\n){11}$/);
});

test('JSON of too many values is not parsed for a policy; one that names only its model is read without', () => {
  const chat = matchOperation('openai', 'POST', '/v1/embeddings') as Operation;
  const pass = (answer: string) => {
    const named: (string | null | undefined)[] = [];
    const pipe = openAnswerPipe(
      chat,
      { 'content-type': 'application/json' },
      { allows: (names) => named.push(names === null ? undefined : names.model) > 0 },
    );
    pipe.push(Buffer.from(answer));
    pipe.end();
    return named;
  };
  const many = '{},'.repeat(5_000_000);
  expect(pass(`{"model":"m","data":[${many}{}]}`)).toEqual(['m']);
  expect(pass(`{"model":"m","data":[${many}{}],"model":"n"}`)).toEqual(['m', 'n']);
  expect(pass(`{"model":"m","name":"x","data":[${many}{}]}`)).toEqual([undefined]);
  expect(pass(`{"model":"m","m\\u006fdel":"n","data":[${many}{}]}`)).toEqual([undefined]);
});

test("answers of one agent take a share of the memory; those without room are dropped and reported, and other agents' are read", async () => {
  const megabyte = 1024 * 1024;
  const shares = new FairShares({ max: 100 * megabyte });
  const chat = matchOperation('openai', 'POST', '/v1/chat/completions') as Operation;
  const open = (agentId: string) =>
    openAnswerPipe(
      chat,
      { 'content-type': 'text/event-stream' },
      { memory: openMemoryShare(shares, { agentId, source: null }) },
    );
  const greedy = Array.from({ length: 20 }, () => open('greedy'));
  const chunk = Buffer.alloc(megabyte, 'x');
  for (const tap of greedy) for (let pushed = 0; pushed < 4; pushed += 1) tap.push(chunk);
  expect(shares.heldBy('greedy')).toBeLessThanOrEqual(25 * megabyte);
  const modest = open('modest');
  modest.push(Buffer.from('data: {"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n'));
  expect(await modest.read()).toMatchObject({ inspected: true, usage: { promptTokens: 3 } });
  const readings = await Promise.all(greedy.map((tap) => tap.read()));
  expect(readings.filter(({ passedBy }) => passedBy === 'overloaded').length).toBeGreaterThan(10);
  expect(readings.map(({ length }) => length)).toEqual(readings.map(() => 4 * megabyte));
  for (const tap of [...greedy, modest]) tap.release();
  expect(shares.total).toBe(0);
});
