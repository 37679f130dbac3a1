import { randomUUIDv7 } from 'node:crypto';
import {
  agentLabelListSchema,
  agentListSchema,
  agentOverviewSchema,
  auditListSchema,
  budgetListSchema,
} from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { connectRedis, createBudgetReservations } from '@agp/reservations';
import { beforeAll, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const at = new Date().toISOString();
const day = at.slice(0, 10);
const management = shareTestManagement();
let cheap: string;
let dear: string;
let idle: string;
beforeAll(async () => {
  const { database } = management;
  // Two that come within a millisecond have no order of their own.
  cheap = await seedAgent(database, 'Beta_50%', '2026-11-20T10:00:00.001Z');
  dear = await seedAgent(database, 'alpha', '2026-11-20T10:00:00.002Z');
  idle = await seedAgent(database, 'gamma', '2026-11-20T10:00:00.003Z');
  await seedEvents(database, [
    makeEvent(dear, 'ses_dear', at, {
      cost_nano_usd: 600_000_000,
      model: 'large',
      pii_detected: true,
      pii_types: ['email', 'iban'],
    }),
    makeEvent(dear, 'ses_dear', at, { cost_nano_usd: 300_000_000, model: 'small' }),
    makeEvent(cheap, 'ses_cheap', at, { cost_nano_usd: 100_000_000 }),
  ]);
});

const list = async (query: string) => {
  const agents = await management.read(`/api/v1/agents?${query}`, agentListSchema);
  return agents.map(({ name }) => name);
};
const uuidOf = (id: string) => fromPublicId('agt', id) as string;

test('agents are found by a part of their name, and sorted as asked', async () => {
  expect(await list('order=created')).toEqual(['Beta_50%', 'alpha', 'gamma']);
  expect(await list('order=name')).toEqual(['alpha', 'Beta_50%', 'gamma']);
  expect(await list('order=cost')).toEqual(['alpha', 'Beta_50%', 'gamma']);
  expect((await list('order=seen')).at(-1)).toBe('gamma');
  expect(await list('order=name&limit=1&offset=1')).toEqual(['Beta_50%']);
  expect(await list('search=BETA')).toEqual(['Beta_50%']);
  // What has a meaning in a pattern stands for itself.
  expect(await list('search=_')).toEqual(['Beta_50%']);
  expect(await list(`search=${encodeURIComponent('0%')}`)).toEqual(['Beta_50%']);
  expect(await list('search=%25%25')).toEqual([]);
  expect(await list(`search=${encodeURIComponent('\\')}`)).toEqual([]);
  await management.refuse(await management.call('/api/v1/agents?order=age'), 400, /order/);
});

test('a listed agent has its cap, its limit and the personal data of today', async () => {
  await management.send('PUT', `/api/v1/budgets/agents/${dear}`, { daily_cap_usd: 1, warn_only: true });
  await management.send('PUT', `/api/v1/limits/agents/${dear}`, { requests_per_minute: 7 });
  const agents = await management.read('/api/v1/agents?expand=usage', agentListSchema);
  expect(agents.find(({ id }) => id === dear)).toMatchObject({
    ...{ daily_cap_usd: 1, warn_only: true, requests_per_minute: 7, cost_today_usd: 0.9, requests_today: 2 },
    pii_today: ['email', 'iban'],
  });
  expect(agents.find(({ id }) => id === idle)).toMatchObject({
    last_seen_at: null,
    daily_cap_usd: null,
    pii_today: [],
  });
});

test('the overview of an agent has what it used and did, what was done about it, and what runs', async () => {
  await management.call(`/api/v1/agents/${dear}?reason=too%20much`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'blocked' }),
  });
  const redis = connectRedis({ url: management.stack.redisUrl, commandTimeoutMs: 2_000 });
  await expect.poll(() => redis.status).toBe('ready');
  const held = { agentId: uuidOf(dear), day, nanoUsd: 50_000_000 };
  await createBudgetReservations(redis).renew([
    { ...held, eventId: randomUUIDv7() },
    { ...held, eventId: randomUUIDv7() },
    { ...held, agentId: uuidOf(cheap), eventId: randomUUIDv7() },
  ]);
  redis.disconnect();
  const overview = await management.read(`/api/v1/agents/${dear}/overview`, agentOverviewSchema);
  expect(overview).toMatchObject({
    agent: { id: dear, name: 'alpha', status: 'blocked', requests_per_minute: 7 },
    budget: { daily_cap_usd: 1, spent_usd: 0.9, reserved_usd: 0.1, remaining_usd: 0 },
    running_requests: 2,
    days: [{ day, total_cost_usd: 0.9, request_count: 2 }],
    models: [
      { model: 'large', total_cost_usd: 0.6 },
      { model: 'small', total_cost_usd: 0.3 },
    ],
    findings: [
      { type: 'email', event_count: 1 },
      { type: 'iban', event_count: 1 },
    ],
  });
  expect(overview.changes[0]).toMatchObject({ action: 'agent.update', reason: 'too much', agent_id: dear });
  expect(overview.events).toHaveLength(2);
  expect(overview.events[0]).toHaveProperty('outcome');
  const quiet = await management.read(`/api/v1/agents/${idle}/overview`, agentOverviewSchema);
  expect(quiet).toMatchObject({ running_requests: 0, days: [], models: [], findings: [], changes: [], events: [] });
  await management.refuse(await management.call('/api/v1/agents/agt_none/overview'), 404, 'agent not found');
});

test('budgets by use begin with what is nearest to its cap', async () => {
  const { agents } = await management.read('/api/v1/budgets?order=use&limit=2', budgetListSchema);
  expect(agents.map(({ agent_name }) => agent_name)).toEqual(['alpha', 'Beta_50%']);
  await management.send('PUT', `/api/v1/budgets/agents/${idle}`, { daily_cap_usd: 0 });
  const after = await management.read('/api/v1/budgets?order=use', budgetListSchema);
  expect(after.agents.map(({ agent_name }) => agent_name)).toEqual(['gamma', 'alpha', 'Beta_50%']);
  await management.send('PUT', `/api/v1/agents/${idle}`, { status: 'retired' });
  const current = await management.read('/api/v1/budgets?order=use', budgetListSchema);
  expect(current.agents.map(({ agent_name }) => agent_name)).toEqual(['alpha', 'Beta_50%']);
  await management.send('PUT', `/api/v1/agents/${idle}`, { status: 'active' });
});

test('audit entries have the names of their agents where that is asked for', async () => {
  const entries = await management.read('/api/v1/audit?expand=agent', auditListSchema);
  const names = new Map(entries.map(({ action, agent_name }) => [action, agent_name]));
  expect(names.get('agent.update')).toBe('alpha');
  expect(names.get('key.bootstrap')).toBeNull();
  const [plain] = await management.read('/api/v1/audit?limit=1', auditListSchema);
  expect(plain).not.toHaveProperty('agent_name');
});

test('every answer has an id of its own, which the log of a failure has too', async () => {
  const answers = await Promise.all(
    ['/api/v1/agents', '/api/v1/agents/agt_none', '/nowhere'].map((path) => management.call(path)),
  );
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{26}$/);
  expect(new Set(ids).size).toBe(3);
  await Promise.all(answers.map((answer) => answer.text()));
});

test('labels are listed with how many agents have them, and narrow by a text', async () => {
  const labelled = [
    [cheap, { team: 'sales', note: 'prose', level: 3 }],
    [dear, { team: 'sales', stage: '50%' }],
    [idle, { team: 'x'.repeat(300) }],
  ] as const;
  for (const [id, metadata] of labelled) await management.send('PUT', `/api/v1/agents/${id}`, { metadata });
  const sales = { name: 'team', value: 'sales', agent_count: 2 };
  const stage = { name: 'stage', value: '50%', agent_count: 1 };
  for (const [query, expected] of [
    ['', [sales, stage]],
    ['?search=M%3DSAL', [sales]],
    ['?search=%25', [stage]],
  ] as const)
    expect(await management.read(`/api/v1/agents/labels${query}`, agentLabelListSchema)).toEqual(expected);
});
