import { randomUUIDv7 } from 'node:crypto';
import { firstUuidAt } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { removeOldRefusals } from '../maintain/retention.ts';
import type { Decided } from './pages.ts';
import { countPolicyHits } from './policies.ts';
import { addRefusals, listRefusals, type RefusalCount, type RefusedRequest } from './refusals.ts';

let proxy: Database;
let owner: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  proxy = openDatabase({ url: stack.urls.proxy.databaseUrl, applicationName: 'test' });
  owner = openDatabase({ url: stack.urls.migrator.databaseUrl, applicationName: 'test' });
  return async () => {
    await Promise.all([proxy.close(), owner.close()]);
    await stack[Symbol.asyncDispose]();
  };
});

const dayMs = 86_400_000;
const minute = Date.UTC(2026, 10, 20, 9, 30);
const agentId = randomUUIDv7();

function makeRefused(over: Partial<RefusedRequest> = {}): RefusedRequest {
  return {
    id: randomUUIDv7(),
    agentId,
    reason: 'agent_blocked',
    requestId: 'same',
    sourceIp: '10.0.0.1',
    provider: 'openai',
    rule: 'interns "models": x',
    told: 'denied: x',
    decision: [
      { policy: 'interns', rule: '"models"' },
      { policy: 'interns', rule: 'hours' },
      { policy: 'other', rule: 'hours' },
    ],
    ...{ count: 1, added: 1 },
    path: '/openai/v1/"quoted",{}\\',
    ...over,
  };
}

function makeCount(requests: RefusedRequest[]): RefusalCount {
  const { reason, sourceIp } = makeRefused();
  return { minute, agentId, reason, count: requests.length, sourceIp, refusedAt: minute, requests };
}

const readListed = async () => await owner.db.selectFrom('refused_requests').selectAll().orderBy('id').execute();

test('refused requests are listed with their counts, once, and removed when they are old', async () => {
  const old = makeRefused({ id: firstUuidAt(minute - 7 * dayMs - 1) });
  const young = makeRefused({ id: firstUuidAt(minute - 7 * dayMs) });
  const unknown = makeRefused({ agentId: null, reason: 'unknown_provider', provider: null, path: null });
  await addRefusals(proxy.pool, [makeCount([old, young])]);
  // A proxy sends again what it had no answer for.
  await addRefusals(proxy.pool, [
    makeCount([young]),
    { ...makeCount([unknown]), agentId: null, reason: 'unknown_provider' },
  ]);
  expect(await readListed()).toEqual(
    [old, young, unknown].map(({ id, agentId, reason, requestId, sourceIp, ...row }) => ({
      id,
      agent_id: agentId,
      reason,
      request_id: requestId,
      source_ip: sourceIp,
      ...{
        provider: row.provider,
        path: row.path,
        rule: row.rule,
        decision: row.decision,
        told: row.told,
        count: row.count,
      },
    })),
  );
  const { rows } = await owner.pool.query('SELECT reason, count FROM refusal_counts ORDER BY reason');
  expect(rows).toEqual([
    { reason: 'agent_blocked', count: 3 },
    { reason: 'unknown_provider', count: 1 },
  ]);
  expect(await removeOldRefusals(owner.db, new Date(minute), 7)).toBe(1);
  expect((await readListed()).map(({ id }) => id)).toEqual([young.id, unknown.id]);
});

test('a row that stands for many is counted on, found by each of its rules, and counted by the hour for each', async () => {
  await owner.pool.query('TRUNCATE hourly_decisions, refused_requests');
  const at = new Date('2026-11-20T09:30:00Z');
  const many = makeRefused({ id: firstUuidAt(at.getTime()), count: 3, added: 3 });
  const one = makeRefused({
    decision: [{ policy: 'other', rule: 'models' }],
    id: firstUuidAt(at.getTime() + 3_600_000),
  });
  await addRefusals(proxy.pool, [makeCount([many, one, makeRefused({ decision: null, rule: null })])]);
  // Two states of one row after a failure, the older one last.
  await addRefusals(proxy.pool, [
    makeCount([
      { ...many, count: 9, added: 2 },
      { ...many, count: 7, added: 4 },
    ]),
  ]);
  const find = async (decided: Decided) =>
    (await listRefusals(owner.db, { decided }, 10)).map(({ id, count }) => (id === many.id ? count : id));
  expect(await find({ policy: 'interns' })).toEqual([9]);
  expect(await find({ policy: 'other' })).toEqual([one.id, 9]);
  expect(await find({ rule: 'hours' })).toEqual([9]);
  expect(await find({ policy: 'other', rule: 'models' })).toEqual([one.id]);
  expect(await find({ policy: 'interns', rule: 'models' })).toEqual([]);
  const hits = await countPolicyHits(owner.db, new Date(at.getTime() + 1));
  const by = (rule: string, requests: number) => ({ rule, action: 'refuse', requests });
  expect(Object.fromEntries(hits)).toEqual({
    interns: { refused: 9, noted: 0, by: [by('"models"', 9), by('hours', 9)] },
    other: { refused: 10, noted: 0, by: [by('hours', 9), by('models', 1)] },
  });
  expect((await countPolicyHits(owner.db, new Date(at.getTime() + 3_600_000))).get('interns')).toBeUndefined();
});

test('a proxy may add to the list, and neither change it nor read who asked for what', async () => {
  for (const statement of [
    'SELECT source_ip FROM refused_requests',
    "UPDATE refused_requests SET reason = 'other'",
    'DELETE FROM refused_requests',
  ])
    await expect(proxy.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
});
