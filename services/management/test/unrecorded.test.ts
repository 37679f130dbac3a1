import { eventSchema, unrecordedRequestListSchema, unrecordedRequestSchema } from '@agp/core/contracts';
import { firstUuidAt, toPublicId, uuidOf } from '@agp/core/ids';
import { addUnrecordedSpend, recordEvents, type UnrecordedSpend } from '@agp/db';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
let agents: string[];
beforeAll(async () => {
  agents = await Promise.all(['one', 'two'].map((name) => seedAgent(management.database, name)));
  await addUnrecordedSpend(management.database.pool, [
    at('2026-03-01T10:00:00.000Z', 0, { costNanoUsd: 1, reason: 'ended_without_record' }),
    at('2026-03-01T10:00:00.001Z', 1, { request: { sessionId: 'ses_b', provider: 'vllm', model: null } }),
    at('2026-03-02T00:00:00.000Z', 0, { reason: 'set_aside', request: null }),
  ]);
  // For a reason that only a later version knows, and of an agent that storage has lost.
  await management.database.pool.query(
    "INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd, reason) VALUES ($1, $2, $1, 2, 'evaporated')",
    [firstUuidAt(Date.parse('2026-03-03T00:00:00.000Z')).replace('0000-0000', '7000-8000'), '2026-03-03'],
  );
});

function at(time: string, agent: number, over: Partial<UnrecordedSpend>): UnrecordedSpend {
  return {
    eventId: firstUuidAt(Date.parse(time)).replace('0000-0000', '7000-8000'),
    agentId: uuidOf('agt', agents[agent] ?? ''),
    day: time.slice(0, 10),
    costNanoUsd: 0,
    reason: 'lost',
    request: { sessionId: 'ses_a', provider: 'openai', model: 'gpt-4o' },
    ...over,
  };
}

const list = (query = '') => management.read(`/api/v1/costs/unrecorded${query}`, unrecordedRequestListSchema);
const listTimes = async (query: string) => (await list(query)).map(({ started_at }) => started_at.slice(8, 23));

test('unrecorded requests are listed newest first, with their known details', async () => {
  const all = await list();
  expect(all.map(({ started_at }) => started_at)).toEqual([
    '2026-03-03T00:00:00.000Z',
    '2026-03-02T00:00:00.000Z',
    '2026-03-01T10:00:00.001Z',
    '2026-03-01T10:00:00.000Z',
  ]);
  expect(all[0]).toMatchObject({ agent_name: null, reason: 'unknown', session_id: null, cost_usd: 2 });
  expect(all[1]).toMatchObject({
    agent_name: 'one',
    reason: 'set_aside',
    session_id: null,
    provider: null,
    model: null,
  });
  expect(all[2]).toMatchObject({
    agent_name: 'two',
    reason: 'lost',
    session_id: 'ses_b',
    provider: 'vllm',
    model: null,
  });
  expect(all[3]).toEqual({
    event_id: toPublicId('evt', at('2026-03-01T10:00:00.000Z', 0, {}).eventId),
    agent_id: agents[0],
    agent_name: 'one',
    session_id: 'ses_a',
    provider: 'openai',
    model: 'gpt-4o',
    started_at: '2026-03-01T10:00:00.000Z',
    cost_usd: 1e-9,
    reason: 'ended_without_record',
    outcome: 'lost',
    noted_at: expect.any(String),
  });
});

test('the list can be limited to an agent, a time and a page; an invalid id matches nothing', async () => {
  expect(await listTimes(`?agent_id=${agents[0]}`)).toEqual(['02T00:00:00.000', '01T10:00:00.000']);
  expect(await listTimes('?from=2026-03-01T10:00:00.001Z&to=2026-03-02')).toEqual(['01T10:00:00.001']);
  expect(await listTimes('?limit=1&offset=1')).toEqual(['02T00:00:00.000']);
  for (const nobody of ['agt_x', 'x%00', toPublicId('agt', firstUuidAt(1).replace('0000-0000', '7000-8000'))])
    expect(await list(`?agent_id=${nobody}`)).toEqual([]);
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['offset=-1', 'offset'],
    ['from=tomorrow', 'from'],
  ])
    expect(await (await management.call(`/api/v1/costs/unrecorded?${query}`)).text()).toContain(field);
});

test('an id that an agent was given says that its event was lost, and an event that comes late takes its place', async () => {
  const lost = at('2026-03-01T11:00:00.000Z', 0, { reason: 'ended_without_record' });
  const id = toPublicId('evt', lost.eventId);
  const path = `/api/v1/costs/unrecorded/${id}`;
  const ask = async (url: string) => {
    const answer = await management.call(url);
    return [answer.status, answer.headers.get('x-error-code'), ((await answer.json()) as { error?: string }).error];
  };
  for (const url of [`/api/v1/events/${id}`, `/api/v1/events/${id}/detail`, path])
    expect(await ask(url)).toEqual([404, 'event_not_found', 'event not found']);
  await addUnrecordedSpend(management.database.pool, [lost]);
  for (const url of [`/api/v1/events/${id}`, `/api/v1/events/${id}/detail`])
    expect(await ask(url)).toEqual([404, 'event_not_recorded', `event lost: ${path} has what is known of its request`]);
  expect(await management.read(path, unrecordedRequestSchema)).toMatchObject({
    event_id: id,
    agent_name: 'one',
    session_id: 'ses_a',
    model: 'gpt-4o',
    outcome: 'lost',
    started_at: '2026-03-01T11:00:00.000Z',
  });
  await recordEvents(management.database.pool, [makeEvent({ id, agent_id: agents[0] ?? '' })]);
  expect(await ask(path)).toEqual([404, 'event_not_found', 'event not found']);
  expect((await management.read(`/api/v1/events/${id}`, eventSchema)).id).toBe(id);
});

test('of an event that was set aside no loss is claimed', async () => {
  const id = toPublicId('evt', at('2026-03-02T00:00:00.000Z', 0, {}).eventId);
  expect(await (await management.call(`/api/v1/events/${id}`)).text()).toMatch(/"event set aside: /);
  expect((await management.read(`/api/v1/costs/unrecorded/${id}`, unrecordedRequestSchema)).outcome).toBeNull();
});
