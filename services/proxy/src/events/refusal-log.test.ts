import type { RefusalCount, RefusedRequest } from '@agp/db';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type CountedRefusal, RefusalLog, type RefusalLogOptions } from './refusal-log.ts';

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

function refuse(log: RefusalLog, agentId: string | null, reason: CountedRefusal['reason'], sourceIp: string): void {
  log.count({ agentId, reason, rule: null, decision: null, told: null, sourceIp, requestId: 'req_1' }, () => ({
    provider: 'openai',
    path: '/openai/v1',
  }));
}

test('refusals of one minute, agent and reason are one count with the latest address', async () => {
  const { log, clock, stored } = startLog();
  refuse(log, 'a', 'agent_blocked', '10.0.0.1');
  clock.now += 59_999;
  refuse(log, 'a', 'agent_blocked', '10.0.0.2');
  refuse(log, 'a', 'rate_limited', '10.0.0.1');
  refuse(log, null, 'unknown_provider', '10.0.0.1');
  clock.now += 1;
  refuse(log, 'a', 'agent_blocked', '10.0.0.3');
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
  refuse(log, 'a', 'agent_blocked', '10.0.0.1');
  await log.flush();
  refuse(log, 'a', 'agent_blocked', '10.0.0.2');
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
  refuse(log, 'a', 'agent_blocked', '10.0.0.1');
  const flushed = Promise.all([log.flush(), log.flush()]);
  await new Promise(setImmediate);
  refuse(log, 'a', 'agent_blocked', '10.0.0.1');
  taken.resolve();
  await flushed;
  expect(stored.map(({ count }) => count)).toEqual([1, 1]);
});

test('memory is bounded: beyond it first the agents are lost, then the counts', async () => {
  const { log, clock, stored, onDrop } = startLog({ maxKeys: 2 });
  for (const agent of ['a', 'b', 'c', 'd', 'c']) refuse(log, agent, 'agent_blocked', '10.0.0.1');
  refuse(log, null, 'unknown_provider', '10.0.0.1');
  clock.now += 60_000;
  refuse(log, 'e', 'paused', '10.0.0.1');
  refuse(log, 'a', 'paused', '10.0.0.1');
  expect(onDrop.mock.calls).toEqual([[1], [1]]);
  await log.flush();
  expect(stored.flat().map(({ agentId, reason, count }) => [agentId, reason, count])).toEqual([
    ['a', 'agent_blocked', 1],
    ['b', 'agent_blocked', 1],
    [null, 'agent_blocked', 3],
    [null, 'unknown_provider', 1],
  ]);
});

/** The latest state of each row, as storage has it. */
const latest = (stored: RefusalCount[][]) => {
  const rows = new Map<string, RefusedRequest>();
  for (const row of stored.flat().flatMap(({ requests }) => requests)) rows.set(row.id, row);
  return [...rows.values()];
};
const total = (rows: { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);

test('the first of each agent, reason and minute are listed, the others as one, and no network takes all places', async () => {
  const { log, clock, stored } = startLog();
  for (let count = 0; count < 15; count += 1) refuse(log, 'a', 'agent_blocked', '10.0.0.1');
  await log.flush();
  // Not ten more: the minute is the same.
  refuse(log, 'a', 'agent_blocked', '10.0.0.1');
  // A flood of invented names from one network.
  for (let name = 0; name < 500; name += 1)
    refuse(log, `invented-${name}`, 'path_not_allowed', `2001:db8::${name.toString(16)}`);
  refuse(log, 'b', 'agent_blocked', '10.0.0.2');
  for (let name = 0; name < 5_000; name += 1) refuse(log, `other-${name}`, 'paused', `10.${name % 100}.0.1`);
  await log.flush();
  const listed = latest(stored);
  const count = (agent: RegExp) => listed.filter(({ agentId }) => agent.test(agentId ?? '')).map((row) => row.count);
  expect(count(/^a$/)).toEqual([...Array(10).fill(1), 6]);
  expect([count(/^invented/).length, count(/^b$/), listed.length]).toEqual([500, [1], 1_301]);
  expect(listed.filter(({ agentId }) => agentId === null)).toMatchObject([{ reason: 'paused', provider: null }]);
  const added = stored.flat().flatMap(({ requests }) => requests.map((row) => ({ count: row.added })));
  expect([total(listed), total(added), total(stored.flat())]).toEqual([5_517, 5_517, 5_517]);
  expect(listed[0]).toEqual({
    id: expect.any(String),
    ...{ rule: null, decision: null, told: null, count: 1, added: 1 },
    agentId: 'a',
    reason: 'agent_blocked',
    sourceIp: '10.0.0.1',
    requestId: 'req_1',
    provider: 'openai',
    path: '/openai/v1',
  });
  clock.now += 60_000;
  refuse(log, 'a', 'agent_blocked', '10.0.0.1');
  await log.flush();
  expect(latest(stored)).toHaveLength(1_302);
});

test('while storage is away the listed ones are bounded too, and none is lost or doubled by a retry', async () => {
  let away = true;
  const stored: RefusalCount[] = [];
  const { log, clock } = startLog({
    store: async (counts) => {
      if (away) throw new Error('away');
      stored.push(...counts);
    },
  });
  for (let minutes = 0; minutes < 20; minutes += 1) {
    for (let name = 0; name < 300; name += 1) refuse(log, `${name}`, 'agent_blocked', `10.${name}.0.1`);
    await log.flush();
    clock.now += 60_000;
  }
  away = false;
  await log.flush();
  const ids = stored.flatMap(({ requests }) => requests.map(({ id }) => id));
  expect([ids.length, new Set(ids).size]).toEqual([4_000, 4_000]);
  expect(stored.reduce((sum, counted) => sum + counted.count, 0)).toBe(6_000);
  refuse(log, 'later', 'agent_blocked', '10.0.0.1');
  await log.flush();
  expect(stored.at(-1)?.requests).toHaveLength(1);
});

test('a row that stands for many is counted on after a failure, and exact in the end', async () => {
  let away = true;
  const stored: RefusalCount[] = [];
  const { log } = startLog({
    store: async (counts) => {
      if (away) throw new Error('away');
      stored.push(...counts);
    },
  });
  for (let count = 0; count < 40; count += 1) {
    refuse(log, 'a', 'agent_blocked', '10.0.0.1');
    if (count % 9 === 0) await log.flush();
    if (count === 30) away = false;
  }
  await log.flush();
  const rows = stored.flatMap(({ requests }) => requests);
  const most = new Map(rows.toSorted((one, other) => one.count - other.count).map((row) => [row.id, row]));
  expect([most.size, total([...most.values()]), rows.reduce((sum, { added }) => sum + added, 0)]).toEqual([11, 40, 40]);
});
