import { randomUUIDv7 } from 'node:crypto';
import { firstUuidAt } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { removeOldRefusals } from '../maintain/retention.ts';
import { addRefusals, type RefusalCount, type RefusedRequest } from './refusals.ts';

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
    rule: 'interns "models"',
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
    [old, young, unknown].map(({ id, agentId, reason, requestId, sourceIp, provider, path, rule }) => ({
      id,
      agent_id: agentId,
      reason,
      request_id: requestId,
      source_ip: sourceIp,
      provider,
      path,
      rule,
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

test('a proxy may add to the list, and neither read nor change it', async () => {
  for (const statement of [
    'SELECT FROM refused_requests',
    "UPDATE refused_requests SET reason = 'other'",
    'DELETE FROM refused_requests',
  ])
    await expect(proxy.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
});
