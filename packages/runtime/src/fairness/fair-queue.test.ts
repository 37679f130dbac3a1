import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';
import type { Holder } from './fair-shares.ts';

interface Work {
  holder: Holder;
  ms: number;
}

const proven = (agentId: string): Holder => ({ agentId, source: null });
const named = (agentId: string, source = '10.0.0.1'): Holder => ({ agentId, source });

/** A queue that knows how long each item will take. */
const open = () => new FairQueue<Work>(({ ms }) => ms);

function push(queue: FairQueue<Work>, holder: Holder, ms: number, count = 1): void {
  for (let index = 0; index < count; index += 1) queue.push(holder, { holder, ms });
}

/** Does the next work. @returns its agent */
function work(queue: FairQueue<Work>): string | undefined {
  const next = queue.peek();
  if (!next) return undefined;
  queue.delete(next.holder, next);
  queue.charge(next.holder, next.ms);
  return next.holder.agentId;
}

test.each([
  ['agents with tokens', proven],
  ['agents of one network', (name: string) => named(name)],
])('%s: the single request of one is served next, however much another asks for', (_, toHolder) => {
  const queue = open();
  push(queue, toHolder('greedy'), 2_000, 30);
  for (let turn = 0; turn < 5; turn += 1) {
    expect(work(queue)).toBe('greedy');
    push(queue, toHolder('modest'), 10);
    expect(work(queue)).toBe('modest');
  }
});

test('agents get the same time, not the same number of turns', () => {
  const queue = open();
  push(queue, proven('long'), 100, 100);
  push(queue, proven('short'), 10, 1_000);
  const turns: Record<string, number> = {};
  for (let turn = 0; turn < 220; turn += 1) {
    const agent = work(queue) ?? '';
    turns[agent] = (turns[agent] ?? 0) + 1;
  }
  expect(turns.short).toBeGreaterThan(190);
  expect(turns.long).toBeGreaterThan(15);
});

test('a thousand names from one network get the turns of one', () => {
  const queue = open();
  for (let index = 0; index < 1_000; index += 1) push(queue, named(`name-${index}`), 100);
  work(queue);
  push(queue, named('elsewhere', '10.0.0.2'), 100);
  push(queue, proven('with-token'), 100);
  const next = [work(queue), work(queue), work(queue)];
  expect([next.includes('elsewhere'), next.includes('with-token')]).toEqual([true, true]);
});

test('a large item gets its turn although small ones keep coming', () => {
  const queue = open();
  push(queue, proven('large'), 1_000);
  push(queue, proven('small'), 10);
  for (let turn = 0; turn < 1_000; turn += 1) {
    push(queue, proven(`small-${turn}`), 10);
    if (work(queue) === 'large') return;
  }
  throw new Error('it never had its turn');
});

test('a busy agent is charged for the time it had, and idle time is not saved up', () => {
  const queue = open();
  push(queue, proven('always'), 100, 50);
  for (let turn = 0; turn < 20; turn += 1) work(queue);
  push(queue, proven('new'), 100, 20);
  const next = Array.from({ length: 20 }, () => work(queue));
  expect(next.filter((agent) => agent === 'new').length).toBeLessThanOrEqual(11);
  expect(next.filter((agent) => agent === 'always').length).toBeGreaterThanOrEqual(9);
});

test('a deleted item gets no turn', () => {
  const queue = open();
  const first = { holder: proven('a'), ms: 1 };
  queue.push(first.holder, first);
  push(queue, proven('b'), 2);
  queue.delete(first.holder, first);
  expect([queue.size, queue.list().length, work(queue), work(queue), queue.size]).toEqual([1, 1, 'b', undefined, 0]);
});
