import { setTimeout as sleep } from 'node:timers/promises';
import type { BudgetList, Event, Session } from '@agp/core/contracts';
import { errorTable } from '@agp/core/errors';
import { uuidOf, uuidTime } from '@agp/core/ids';
import { nanoToDecimal } from '@agp/core/money';
import { connectRedis, createBudgetReservations } from '@agp/reservations';
import { expect } from 'vitest';
import { answerAsReserved, Caller, type CallResult } from '../../control/support/send-calls.ts';
import { expectAllRecorded } from '../../lifecycle/rolling/check-recorded.ts';
import { startClock } from '../../system/clock/start-clock.ts';
import type { ProcessSystem } from '../../system/start-processes.ts';
import { type System, waitFor } from '../../system/start-system.ts';
import { type Report, unreported } from '../story.ts';

const hourMs = 3_600_000;
/** So long before midnight the first day's requests begin. */
const earlyMs = 600_000;
const dayMs = 24 * hourMs;
const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Bills what is reserved, after so long that some requests are on their way while a clock is set. */
export const answerSlowly = answerAsReserved(1, 100);

interface Called extends CallResult {
  agent: string;
  eventId: string;
}

/** Requests, and the ids that their callers were given. */
class Calls implements AsyncDisposable {
  readonly all: Called[] = [];
  readonly #caller = new Caller();

  async send(url: string, agentName: string, headers: Record<string, string> = {}): Promise<Called> {
    const result = await this.#caller.sendPatiently(url, { agentName, headers });
    const called = { ...result, agent: agentName, eventId: String(result.headers['x-event-id'] ?? '') };
    this.all.push(called);
    return called;
  }

  served = () => this.all.filter(({ status }) => status === 200);

  [Symbol.asyncDispose] = () => this.#caller[Symbol.asyncDispose]();
}

/** Every event is recorded once, in whole chains, and nothing stays reserved on any day around. */
async function expectSettled(system: System, calls: Calls, around: number): Promise<void> {
  const sent = calls.served().map(({ eventId }) => ({ kind: 'kept connection' as const, eventId, failure: null }));
  await expectAllRecorded(system, sent, 60_000);
  const redis = connectRedis({ url: system.stack.redisUrl, commandTimeoutMs: 5_000 });
  try {
    const reservations = createBudgetReservations(redis);
    await waitFor('nothing to be reserved', async () => {
      if (redis.status !== 'ready') return false;
      const days = [-1, 0, 1].map((ago) => toDay(around - ago * dayMs));
      const held = await Promise.all(days.map((day) => reservations.list(day, null)));
      return held.flat().length === 0;
    });
  } finally {
    redis.disconnect();
  }
  const { rows } = await system.database.pool.query(
    `SELECT (timestamp AT TIME ZONE 'UTC')::date::text AS day, agent_id, sum(cost_usd) AS usd FROM events GROUP BY 1, 2
     EXCEPT SELECT day::text, agent_id, sum(cost_usd) FROM daily_usage GROUP BY 1, 2`,
  );
  expect(rows).toEqual([]);
}

async function setCap(system: System, agentName: string, nanoUsd: number): Promise<void> {
  const text = 'UPDATE agents SET daily_cap_usd = $2 WHERE name = $1';
  const { rowCount } = await system.database.pool.query(text, [agentName, nanoToDecimal(nanoUsd)]);
  expect(rowCount).toBe(1);
}

/** What one of all these requests costs, in nano-dollars. */
async function measureCost(system: System, calls: Calls, url: string): Promise<number> {
  const { eventId } = await calls.send(url, 'measured');
  const event = await waitFor('the first event', () =>
    system.api<Event>(`/api/v1/events/${eventId}`).catch(() => false as const),
  );
  return Math.round(event.cost_usd * 1e9);
}

export interface ClockSize {
  /** Requests to both proxies with the clock of one right, fast, slow, and right again. */
  each: number;
  /** Requests that a cap has room for. */
  room: number;
}

/**
 * The clock of one of two proxies is set forward and back by an hour: no request fails, none is recorded twice or not at all, sessions
 * stay what they are, and a cap admits what it has room for on each day that either clock has.
 */
export async function setClocks(
  system: ProcessSystem,
  { each, room }: ClockSize,
  report: Report = unreported,
): Promise<void> {
  using clock = startClock();
  await using calls = new Calls();
  const [right, wrong] = await Promise.all([system.startWithin('proxy'), system.start('proxy', clock.environment)]);
  const cost = await measureCost(system, calls, right.url);
  await calls.send(right.url, 'capped');
  await setCap(system, 'capped', room * cost);
  const days = new Set([toDay(Date.now())]);
  const began = Date.now();
  const sending: Promise<unknown>[] = [];
  for (const shift of [0, hourMs, -hourMs, 0]) {
    await clock.set(shift);
    for (let index = 0; index < each; index += 1) {
      days.add(toDay(Date.now())).add(toDay(clock.now()));
      const { url } = index % 2 ? right : wrong;
      const agent = ['idle', 'named', 'capped'][index % 3] ?? '';
      sending.push(calls.send(url, agent, agent === 'named' ? { 'x-session-id': 'ses_named' } : {}));
      // Some are still on their way when the clock is set again.
      await sleep(5);
    }
  }
  await Promise.all(sending);
  report({ requests: calls.all.length, served: calls.served().length });
  await expectSettled(system, calls, Date.now());

  const refused = calls.all.filter(({ status }) => status !== 200);
  expect([...new Set(refused.map(({ error }) => error))].filter((error) => !/^daily budget/.test(error ?? ''))).toEqual(
    [],
  );
  for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0);
  for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeLessThanOrEqual(86_400);
  const events = await system.api<Event[]>('/api/v1/events?limit=1000');
  const ofName = async (name: string) => {
    const { rows } = await system.database.pool.query('SELECT id FROM agents WHERE name = $1', [name]);
    return events.filter(({ agent_id }) => uuidOf('agt', agent_id) === rows[0].id);
  };
  const ofCapped = await ofName('capped');
  for (const [day, ofDay] of Map.groupBy(ofCapped, ({ timestamp }) => timestamp.slice(0, 10)))
    expect(ofDay.length, day).toBe(room);
  report({ 'admitted by a cap': ofCapped.length, 'room in it, by days': room * days.size });

  // By time, which each id holds too.
  const times = events.map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  expect(events.map(({ id }) => uuidTime(uuidOf('evt', id)))).toEqual(times);
  expect(Math.max(...times)).toBeGreaterThan(began + 0.9 * hourMs);
  expect(Math.min(...times)).toBeLessThan(began - 0.9 * hourMs);
  for (const name of ['idle', 'named']) {
    const ofAgent = await ofName(name);
    const [session, ...others] = new Set(ofAgent.map(({ session_id }) => session_id));
    expect(others, name).toEqual([]);
    const shown = (await system.api<Session[]>('/api/v1/sessions')).find(({ id }) => id === session);
    const ofSession = ofAgent.map(({ timestamp }) => timestamp).toSorted();
    expect(shown).toMatchObject({ started_at: ofSession[0], ended_at: ofSession.at(-1), event_count: ofAgent.length });
  }
  await Promise.all([right.stop(), wrong.stop()]);
}

export interface MidnightSize {
  /** From the clock's last setting to midnight, in milliseconds. */
  before: number;
  atOnce: number;
  room: number;
}

/** Midnight UTC comes under load: a cap admits exactly what it has room for, on each of both days, and no request counts on two. */
export async function crossMidnight(
  system: ProcessSystem,
  { before, atOnce, room }: MidnightSize,
  report: Report = unreported,
): Promise<void> {
  using clock = startClock();
  await using calls = new Calls();
  const midnight = Math.ceil((Date.now() + 60_000) / dayMs) * dayMs;
  const [one, two] = await Promise.all([1, 2].map(() => system.start('proxy', clock.environment)));
  const [writer, management] = await Promise.all([
    system.start('writer', clock.environment),
    system.start('management', clock.environment),
  ]);
  const urls = [one?.url ?? '', two?.url ?? ''];
  await clock.set(midnight - earlyMs - Date.now());
  const cost = await measureCost(system, calls, urls[0] ?? '');
  await calls.send(urls[0] ?? '', 'capped');
  await setCap(system, 'capped', room * cost);
  let isOver = false;
  const work = async (_: unknown, worker: number) => {
    while (!isOver) {
      const { status } = await calls.send(urls[worker % 2] ?? '', worker % 3 ? 'capped' : 'free');
      // An agent that is refused waits a little.
      if (status !== 200) await sleep(20);
    }
  };
  const working = Promise.all(Array.from({ length: atOnce }, work));
  const waitUntilSpent = (after: number) =>
    waitFor('the cap to be spent', () =>
      calls.all
        .slice(after)
        .some(
          ({ error, headers }) =>
            error === errorTable.agent_budget_exceeded.message && headers['x-budget-request-usd'] === undefined,
        ),
    );
  try {
    await waitUntilSpent(0);
    await clock.set(midnight - before - Date.now());
    await sleep(Math.max(0, midnight - clock.now()));
    const ofFirstDay = calls.all.length;
    await waitFor('the second day', () =>
      calls.all.slice(ofFirstDay).some(({ status, agent }) => status === 200 && agent === 'capped'),
    );
    await waitUntilSpent(calls.all.length);
  } finally {
    isOver = true;
    await working;
  }
  const refused = calls.all.filter(({ status }) => status !== 200);
  report({ requests: calls.all.length, refused: refused.length, 'room in a cap': room });
  await expectSettled(system, calls, midnight);
  const { rows } = await system.database.pool.query(
    `SELECT (timestamp AT TIME ZONE 'UTC')::date::text AS day, count(*)::int AS served, sum(cost_usd)::float8 AS usd
     FROM events WHERE agent_id = (SELECT id FROM agents WHERE name = 'capped') GROUP BY 1 ORDER BY 1`,
  );
  report(Object.fromEntries(rows.map(({ day, served }) => [`admitted on ${day}`, served])));
  expect(rows.map(({ day, served }) => ({ day, served }))).toEqual(
    [midnight - dayMs, midnight].map((day) => ({ day: toDay(day), served: room })),
  );
  expect([...new Set(refused.map(({ error }) => error))].filter((error) => !/^daily budget/.test(error ?? ''))).toEqual(
    [],
  );
  const waits = refused
    .filter(({ error }) => error === errorTable.agent_budget_exceeded.message)
    .map(({ retryAfter }) => Number(retryAfter));
  expect(waits.filter((wait) => wait > earlyMs / 1_000 && wait < (dayMs - earlyMs) / 1_000)).toEqual([]);
  const answer = await fetch(`${management.url}/api/v1/budgets`, {
    headers: { authorization: `Bearer ${system.apiKey}` },
  });
  const { day, agents } = (await answer.json()) as BudgetList;
  expect(day).toBe(toDay(midnight));
  const shown = agents.find(({ agent_name }) => agent_name === 'capped');
  expect(shown?.spent_usd).toBeCloseTo((room * cost) / 1e9, 9);
  await Promise.all([one, two, writer, management].map(async (service) => service?.stop()));
}
