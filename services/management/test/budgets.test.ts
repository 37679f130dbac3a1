import { randomUUIDv7 } from 'node:crypto';
import { budgetListSchema } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { addUnrecordedSpend } from '@agp/db';
import { type BudgetReservations, connectRedis, createBudgetReservations } from '@agp/reservations';
import { describe, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement, startTestManagement, type TestManagement } from './support/start-test-management.ts';

const now = new Date().toISOString();
const day = now.slice(0, 10);
const yesterday = new Date(Date.parse(now) - 86_400_000).toISOString();
const toUuid = (id: string) => fromPublicId(id.slice(0, 3) as 'agt' | 'evt', id) as string;

const lostRequest = { eventId: randomUUIDv7(), day, reason: 'lost' as const, request: null };

/** The reservations of a service's Redis, as a proxy makes them. */
function openReservations({ stack }: TestManagement, leaseMs?: number) {
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 2_000 });
  return {
    reservations: createBudgetReservations(redis, leaseMs),
    ready: () => expect.poll(() => redis.status).toBe('ready'),
    [Symbol.dispose]: () => redis.disconnect(),
  };
}

/** Reserves by `renew`, which adds a missing reservation without counting or refusing a request. */
const reserve = (to: BudgetReservations, agent: string, nanoUsd: number, eventId: string = randomUUIDv7(), of = day) =>
  to.renew([{ eventId, agentId: toUuid(agent), day: of, nanoUsd }]);

const management = shareTestManagement();

const readAgent = async (id: string, from = management) => {
  const { agents } = await from.read('/api/v1/budgets', budgetListSchema);
  return agents.find(({ agent_id }) => agent_id === id);
};

describe('listing budgets', () => {
  test('has no cap before one is set, and exactly the documented fields', async () => {
    await using own = await startTestManagement({ edition: 'base' });
    const agent = await seedAgent(own.database, 'first');
    const unused = { daily_cap_usd: null, spent_usd: 0, reserved_usd: 0, remaining_usd: null };
    expect(await (await own.call('/api/v1/budgets')).json()).toEqual({
      day: new Date().toISOString().slice(0, 10),
      global: unused,
      default_agent_cap_usd: null,
      agents: [{ agent_id: agent, agent_name: 'first', labels: [], no_room_since: null, ...unused }],
    });
  });

  test('gives what today cost and what is held, of each agent and of all, to the nano-dollar', async () => {
    await using own = await startTestManagement();
    using client = openReservations(own);
    await client.ready();
    const dear = await seedAgent(own.database, 'dear', '2026-03-01T00:00:00.000Z');
    const retired = await seedAgent(own.database, 'retired', '2026-03-02T00:00:00.000Z');
    await own.call(`/api/v1/agents/${retired}/retire`, { method: 'POST' });
    await seedEvents(own.database, [
      // Ten times 0.1 is 0.9999999999999999 in doubles.
      ...Array.from({ length: 10 }, () => makeEvent(dear, 'ses_dear', now, { cost_nano_usd: 100_000_000 })),
      makeEvent(dear, 'ses_dear', yesterday, { cost_nano_usd: 5_000_000_000 }),
      makeEvent(retired, 'ses_retired', now, { cost_nano_usd: 1 }),
    ]);
    const lost = { ...lostRequest, agentId: toUuid(dear), costNanoUsd: 20 };
    await addUnrecordedSpend(own.database.pool, [lost]);
    await reserve(client.reservations, dear, 300_000_000);
    await reserve(client.reservations, retired, 7);
    await reserve(client.reservations, dear, 9_000_000_000, randomUUIDv7(), yesterday.slice(0, 10));
    await own.send('PUT', '/api/v1/budgets/global', { daily_cap_usd: 1_000 });
    await own.send('PUT', `/api/v1/budgets/agents/${dear}`, { daily_cap_usd: 2.5 });

    const budgets = await own.read('/api/v1/budgets', budgetListSchema);
    expect(budgets.global).toEqual({
      daily_cap_usd: 1_000,
      spent_usd: 1.000000021,
      reserved_usd: 0.300000007,
      remaining_usd: 998.699999972,
    });
    expect(budgets.agents).toEqual([
      {
        agent_id: dear,
        agent_name: 'dear',
        labels: [],
        no_room_since: null,
        daily_cap_usd: 2.5,
        spent_usd: 1.00000002,
        reserved_usd: 0.3,
        remaining_usd: 1.19999998,
      },
      {
        agent_id: retired,
        agent_name: 'retired',
        labels: [],
        no_room_since: null,
        daily_cap_usd: null,
        spent_usd: 1e-9,
        reserved_usd: 7e-9,
        remaining_usd: null,
      },
    ]);
    expect((await own.read('/api/v1/budgets?limit=1&offset=1', budgetListSchema)).agents).toEqual([budgets.agents[1]]);
  });

  test('counts nothing twice that is recorded and not released yet, lost or not', async () => {
    using client = openReservations(management);
    await client.ready();
    const agent = await seedAgent(management.database, 'settling');
    const recorded = makeEvent(agent, 'ses_settling', now, { cost_nano_usd: 10 });
    const lost = { ...lostRequest, eventId: randomUUIDv7(), agentId: toUuid(agent), costNanoUsd: 200 };
    await reserve(client.reservations, agent, 5_000, toUuid(recorded.id));
    await reserve(client.reservations, agent, 6_000, lost.eventId);
    await reserve(client.reservations, agent, 70_000);
    await seedEvents(management.database, [recorded]);
    await addUnrecordedSpend(management.database.pool, [lost]);
    expect(await readAgent(agent)).toMatchObject({ spent_usd: 0.00000021, reserved_usd: 0.00007 });
    const { global } = await management.read('/api/v1/budgets', budgetListSchema);
    expect(global.reserved_usd).toBe(0.00007);
  });

  test('is true at every moment while events are recorded and their reservations released', async () => {
    await using own = await startTestManagement();
    using client = openReservations(own);
    await client.ready();
    const agent = await seedAgent(own.database, 'busy');
    const events = Array.from({ length: 200 }, () => makeEvent(agent, 'ses_busy', now, { cost_nano_usd: 1_000 }));
    await Promise.all(events.map((event) => reserve(client.reservations, agent, 1_000, toUuid(event.id))));
    let isDone = false;
    const recording = (async () => {
      for (const event of events) {
        await seedEvents(own.database, [event]);
        await client.reservations.release([{ eventId: toUuid(event.id), day }]);
      }
      isDone = true;
    })();
    const seen: number[] = [];
    while (!isDone) {
      const { global, agents } = await own.read('/api/v1/budgets', budgetListSchema);
      for (const budget of [global, ...agents]) seen.push(Math.round((budget.spent_usd + budget.reserved_usd) * 1e9));
    }
    await recording;
    expect(new Set(seen)).toEqual(new Set([200_000]));
    expect(await readAgent(agent, own)).toMatchObject({ spent_usd: 0.0002, reserved_usd: 0 });
  });

  test('no longer counts reservations whose lease has ended', async () => {
    using client = openReservations(management, 50);
    await client.ready();
    const agent = await seedAgent(management.database, 'killed');
    await reserve(client.reservations, agent, 8_000);
    await expect.poll(async () => (await readAgent(agent))?.reserved_usd).toBe(0);
  });

  test('gives more agents than one page of the database, each once', async () => {
    await using own = await startTestManagement();
    using client = openReservations(own);
    await client.ready();
    await own.database.pool.query(`
      INSERT INTO agents (id, name, source_ip, created_at)
      SELECT gen_random_uuid(), 'agent-' || i, '10.0.0.1', timestamptz '2026-01-01Z' + (i / 7) * interval '1 ms'
      FROM generate_series(1, 2500) i`);
    const last = await seedAgent(own.database, 'last');
    await reserve(client.reservations, last, 3);
    const { agents } = await own.read('/api/v1/budgets', budgetListSchema);
    expect(new Set(agents.map(({ agent_id }) => agent_id)).size).toBe(2501);
    expect(agents.at(-1)).toMatchObject({ agent_id: last, reserved_usd: 3e-9 });
  });
});

test('needs the scope: read to look, write to change', async () => {
  const makeKey = async (...scopes: string[]) => {
    const made = await management.send('POST', '/api/v1/keys', { name: 'scoped', scopes });
    return { authorization: `Bearer ${((await made.json()) as { secret: string }).secret}` };
  };
  const [reader, writer] = [await makeKey('read'), await makeKey('write')];
  const agent = await seedAgent(management.database, 'scoped');
  const write = (path: string, body: object, headers: Record<string, string>) =>
    management.call(path, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const puts: [string, object][] = [
    ['/api/v1/budgets/global', { daily_cap_usd: null }],
    ['/api/v1/budgets/default', { daily_cap_usd: null }],
    [`/api/v1/budgets/agents/${agent}`, { daily_cap_usd: null }],
    ['/api/v1/limits/default', { requests_per_minute: null }],
    [`/api/v1/limits/agents/${agent}`, { requests_per_minute: null }],
    ['/api/v1/pause', { paused: false }],
  ];
  for (const [path, body] of puts) {
    await management.refuse(await write(path, body, reader), 403, 'API key lacks scope write');
    expect((await write(path, body, writer)).status, path).toBe(200);
  }
  for (const path of ['/api/v1/budgets', '/api/v1/limits', '/api/v1/pause']) {
    await management.refuse(await management.call(path, { headers: writer }), 403, 'API key lacks scope read');
    expect((await management.call(path, { headers: reader })).status, path).toBe(200);
  }
});

test('without Redis no wrong figure is shown, and no cap changes unseen', async () => {
  await using own = await startTestManagement();
  const agent = await seedAgent(own.database, 'unseen');
  await own.send('PUT', '/api/v1/budgets/global', { daily_cap_usd: 5 });
  const before = await own.read('/api/v1/budgets', budgetListSchema);
  await own.stack.redis.stop();
  const unavailable = 'budget reservations unavailable';
  const refused = await own.call('/api/v1/budgets');
  expect(refused.headers.get('retry-after')).toBe('1');
  await own.refuse(refused, 503, unavailable);
  for (const path of ['/api/v1/budgets/global', `/api/v1/budgets/agents/${agent}`]) {
    await own.refuse(await own.send('PUT', path, { daily_cap_usd: 1 }), 503, unavailable);
  }
  // Answers without reservations do not need Redis.
  expect((await own.send('PUT', '/api/v1/pause', { paused: true })).status).toBe(200);
  expect((await own.send('PUT', '/api/v1/budgets/default', { daily_cap_usd: null })).status).toBe(200);
  expect((await own.call('/api/v1/limits')).status).toBe(200);
  await own.stack.redis.start();
  await expect.poll(async () => (await own.call('/api/v1/budgets')).status).toBe(200);
  expect(await own.read('/api/v1/budgets', budgetListSchema)).toEqual(before);
});
