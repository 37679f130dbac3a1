import type { RefusalCount } from '@agp/db';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RefusalLog, type RefusalLogOptions } from './refusal-log.ts';

const minute = Date.UTC(2026, 10, 20, 9, 30);

function startLog(options: Partial<RefusalLogOptions> = {}) {
  const clock = { now: minute };
  const stored: RefusalCount[][] = [];
  const onDrop = vi.fn();
  const onFailure = vi.fn();
  const log = new RefusalLog({
    store: async (counts) => void stored.push(counts),
    onDrop,
    onFailure,
    now: () => clock.now,
    ...options,
  });
  onTestFinished(() => log.stop());
  return { log, clock, stored, onDrop, onFailure };
}

test('refusals of one minute, agent and reason are one count with the latest address', async () => {
  const { log, clock, stored } = startLog();
  log.count('a', 'agent_blocked', '10.0.0.1');
  clock.now += 59_999;
  log.count('a', 'agent_blocked', '10.0.0.2');
  log.count('a', 'rate_limited', '10.0.0.1');
  log.count(null, 'unknown_provider', '10.0.0.1');
  clock.now += 1;
  log.count('a', 'agent_blocked', '10.0.0.3');
  await log.flush();
  const told = stored.flat().map((row) => [row.minute - minute, row.agentId, row.reason, row.count, row.sourceIp]);
  expect(told).toEqual([
    [0, 'a', 'agent_blocked', 2, '10.0.0.2'],
    [0, 'a', 'rate_limited', 1, '10.0.0.1'],
    [0, null, 'unknown_provider', 1, '10.0.0.1'],
    [60_000, 'a', 'agent_blocked', 1, '10.0.0.3'],
  ]);
  await log.flush();
  expect(stored).toHaveLength(1);
});

test('counts that storage refuses are kept, added to, and handed over later, once', async () => {
  let away = true;
  const stored: RefusalCount[] = [];
  const { log, onFailure } = startLog({
    store: async (counts) => {
      if (away) throw new Error('away');
      stored.push(...counts);
    },
  });
  log.count('a', 'agent_blocked', '10.0.0.1');
  await log.flush();
  log.count('a', 'agent_blocked', '10.0.0.2');
  await log.flush();
  expect(onFailure).toHaveBeenCalledTimes(2);
  away = false;
  await log.stop();
  expect(stored).toMatchObject([{ agentId: 'a', count: 2, sourceIp: '10.0.0.2' }]);
});

test('counts that come while others are handed over are not lost', async () => {
  const taken = Promise.withResolvers<void>();
  const stored: RefusalCount[] = [];
  const { log } = startLog({
    store: async (counts) => {
      await taken.promise;
      stored.push(...counts);
    },
  });
  log.count('a', 'agent_blocked', '10.0.0.1');
  const flushed = Promise.all([log.flush(), log.flush()]);
  await new Promise(setImmediate);
  log.count('a', 'agent_blocked', '10.0.0.1');
  taken.resolve();
  await flushed;
  expect(stored.map(({ count }) => count)).toEqual([1, 1]);
});

test('memory is bounded: beyond it first the agents are lost, then the counts', async () => {
  const { log, clock, stored, onDrop } = startLog({ maxKeys: 2 });
  for (const agent of ['a', 'b', 'c', 'd', 'c']) log.count(agent, 'agent_blocked', '10.0.0.1');
  log.count(null, 'unknown_provider', '10.0.0.1');
  clock.now += 60_000;
  log.count('e', 'paused', '10.0.0.1');
  log.count('a', 'paused', '10.0.0.1');
  expect(onDrop.mock.calls).toEqual([[1], [1]]);
  await log.flush();
  expect(stored.flat().map(({ agentId, reason, count }) => [agentId, reason, count])).toEqual([
    ['a', 'agent_blocked', 1],
    ['b', 'agent_blocked', 1],
    [null, 'agent_blocked', 3],
    [null, 'unknown_provider', 1],
  ]);
});
