import { createHash } from 'node:crypto';
import { connectRedis, createBudgetReservations } from '@agp/reservations';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { makeToken } from './support/admin-calls.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(() => ({ body: { object: 'list', data: [] } }));
  system = await startSystem({ proxies: 2, environment: { PROVIDER_OPENAI_URL: provider.url, LOG_LEVEL: 'fatal' } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

interface Answered {
  status: number;
  sessionId: string | null;
  agentId: string | null;
  eventId: string | null;
}

async function send(headers: Record<string, string>, proxy = 0): Promise<Answered> {
  const answer = await fetch(`${system.proxies[proxy]?.url}/openai/v1/models`, { headers });
  await answer.arrayBuffer();
  const [sessionId, agentId, eventId] = ['x-session-id', 'x-agent-id', 'x-event-id'].map((name) =>
    answer.headers.get(name),
  );
  return { status: answer.status, sessionId, agentId, eventId } as Answered;
}

const as = (agent: string, session: string) => ({ 'x-agent-name': agent, 'x-session-id': session });

/** An agent that has proven who it is, by a token. */
async function makeProven(name: string): Promise<(session: string, proxy?: number) => Promise<Answered>> {
  const { secret } = await makeToken(system, name);
  return (session, proxy) => send({ 'x-agent-token': secret, 'x-session-id': session }, proxy);
}

const countSessions = async (like: string): Promise<number> => {
  const { rows } = await system.database.pool.query('SELECT FROM sessions WHERE id LIKE $1', [like]);
  return rows.length;
};

const digestOf = (agentId: string, session: string) =>
  `ses_${createHash('sha256').update(`${agentId}\n${session}`).digest('base64url')}`;

test('a refused request leaves no session behind, whatever it was refused for last', async () => {
  const { pool } = system.database;
  expect((await send(as('flooder', 'ses_flood-first'))).status).toBe(200);
  await pool.query('UPDATE agents SET requests_per_minute = 1 WHERE name = $1', ['flooder']);
  const limited = await Promise.all(
    Array.from({ length: 200 }, (_, index) => send(as('flooder', `ses_flood-${index}`), index % 2)),
  );
  // One of a minute that began meanwhile may pass, and a busy machine may refuse some for storage that took too long.
  const refused = limited.filter(({ status }) => status === 429).length;
  expect(refused).toBeGreaterThan(100);
  expect(await countSessions('ses\\_flood%')).toBeLessThanOrEqual(1 + 200 - refused);

  // A session that another agent has is refused before the limit is looked at, and costs no row either.
  expect((await send(as('other', 'ses_taken'))).status).toBe(200);
  for (const proxy of [0, 1]) expect((await send(as('flooder', 'ses_taken'), proxy)).status).toBe(409);
});

test('an agent with a token is not kept out of a session by one that took its name first: it has its own, the same each time', async () => {
  const owner = await makeProven('owner');
  expect(await send(as('squatter', 'ses_run-1'))).toMatchObject({ status: 200, sessionId: 'ses_run-1' });
  const [first, second] = [await owner('ses_run-1', 0), await owner('ses_run-1', 1)];
  expect(first.status).toBe(200);
  expect(first.sessionId).toBe(digestOf(first.agentId ?? '', 'ses_run-1'));
  expect(second).toMatchObject({ status: 200, sessionId: first.sessionId });
  // What the answer said is the session's id from now on, for its agent alone; and the event is in that session.
  expect(await owner(first.sessionId ?? '')).toMatchObject({ status: 200, sessionId: first.sessionId });
  expect((await send(as('squatter', first.sessionId ?? ''))).status).toBe(409);
  const recorded = await waitFor('the event', async () => {
    const { rows } = await system.database.pool.query('SELECT event_count FROM sessions WHERE id = $1', [
      first.sessionId,
    ]);
    return rows[0]?.event_count === 3 && rows;
  });
  expect(recorded).toHaveLength(1);

  // Who came first keeps the id, and an agent that proves nothing is refused another's.
  expect(await send(as('squatter', 'ses_run-1'), 1)).toMatchObject({ status: 200, sessionId: 'ses_run-1' });
  expect((await send(as('anybody', 'ses_run-1'))).status).toBe(409);
  const rival = await makeProven('rival');
  const third = await rival('ses_run-1');
  expect(third.status).toBe(200);
  expect(new Set(['ses_run-1', first.sessionId, third.sessionId]).size).toBe(3);
});

test('the session that an agent would be given cannot be worked out and taken', async () => {
  const victim = await makeProven('victim');
  const { agentId } = await victim('ses_warm-up');
  const worked = digestOf(agentId ?? '', 'ses_run-2');
  const attacker = await makeProven('attacker');
  for (const take of [(id: string) => send(as('squatter', id)), attacker]) {
    expect((await take('ses_run-2')).status).toBe(200);
    const taken = await take(worked);
    expect(taken.status).toBe(200);
    expect(taken.sessionId).not.toBe(worked);
  }
  expect(await victim('ses_run-2')).toMatchObject({ status: 200, sessionId: worked });
  expect((await send(as('squatter', worked))).status).toBe(409);
});

test('of agents that race for one id the first claim decides: the others are refused and hold nothing, or go on in sessions of their own', async () => {
  const racers = Array.from({ length: 12 }, (_, index) => index);
  await Promise.all(racers.map((index) => send(as(`racer-${index}`, `ses_warm-${index}`))));
  const open = await Promise.all(racers.map((index) => send(as(`racer-${index}`, 'ses_race'), index % 2)));
  expect(open.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
  const redis = connectRedis({ url: system.stack.redisUrl, commandTimeoutMs: 5_000 });
  try {
    await waitFor('the connection to Redis', () => redis.status === 'ready');
    const reservations = createBudgetReservations(redis);
    const today = new Date().toISOString().slice(0, 10);
    await waitFor('no reservation to be held', async () => (await reservations.list(today, null)).length === 0);
  } finally {
    redis.disconnect();
  }

  const proven = await Promise.all(racers.map((index) => makeProven(`proven-${index}`)));
  const raced = await Promise.all(proven.map((use, index) => use('ses_proven-race', index % 2)));
  expect(raced.every(({ status }) => status === 200)).toBe(true);
  expect(new Set(raced.map(({ sessionId }) => sessionId)).size).toBe(racers.length);
  const again = await Promise.all(proven.map((use, index) => use('ses_proven-race', (index + 1) % 2)));
  expect(again.map(({ sessionId }) => sessionId)).toEqual(raced.map(({ sessionId }) => sessionId));
});
