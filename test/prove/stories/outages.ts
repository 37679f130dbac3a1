import { setTimeout as sleep } from 'node:timers/promises';
import { errorTable } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { refusalText } from '@agp/testing';
import { expect } from 'vitest';
import { type System, waitFor } from '../../system/start-system.ts';
import { expectWithin, milliseconds, type Report, unreported } from '../story.ts';

interface Answered {
  status: number;
  eventId: string | null;
  ms: number;
}

async function send(system: System, agentName: string): Promise<Answered> {
  const started = performance.now();
  const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await answer.text();
  return { status: answer.status, eventId: answer.headers.get('x-event-id'), ms: performance.now() - started };
}

/** Sends so many at a steady rate, whatever the answers take. */
async function sendSteadily(system: System, count: number, perSecond: number): Promise<Answered[]> {
  const sent: Promise<Answered>[] = [];
  const started = performance.now();
  while (sent.length < count) {
    const due = Math.min(count, ((performance.now() - started) / 1_000) * perSecond);
    while (sent.length < due) sent.push(send(system, `agent-${sent.length % 20}`));
    await sleep(5);
  }
  return Promise.all(sent);
}

const slowestOf = (answers: readonly Answered[]) => Math.max(...answers.map(({ ms }) => ms));

async function readEventIds(system: System): Promise<string[]> {
  const { rows } = await system.database.pool.query<{ id: string }>('SELECT id FROM events');
  return rows.map(({ id }) => toPublicId('evt', id)).toSorted();
}

export interface NatsOutageSize {
  perSecond: number;
  /** Sent before NATS is killed, while it is away, and after it is back. */
  before: number;
  away: number;
  after: number;
  /** How many may be refused because a starved machine reads the agent's status too late. */
  mostRefused?: number;
}

/** NATS is killed and comes back under load: every request is served, and the events of all are recorded, once. */
export async function killNats(system: System, size: NatsOutageSize, report: Report = unreported): Promise<void> {
  const { perSecond } = size;
  const answers = await sendSteadily(system, size.before, perSecond);
  await system.stack.nats.kill();
  const away = await sendSteadily(system, size.away, perSecond);
  answers.push(...away);
  await system.stack.nats.start();
  answers.push(...(await sendSteadily(system, size.after, perSecond)));
  const served = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 503);
  report({
    requests: answers.length,
    'seconds without NATS': Math.round(size.away / perSecond),
    served: served.length,
    'refused, Postgres late': refused.length,
    slowest: milliseconds(slowestOf(answers)),
  });
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(away.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const recorded = await waitFor('every event to be recorded', async () => {
    const ids = await readEventIds(system);
    return ids.length >= served.length && ids;
  });
  report({ events: recorded.length });
  expect(recorded).toEqual(served.map(({ eventId }) => eventId).toSorted());
  if (size.mostRefused !== undefined) expect(refused.length).toBeLessThanOrEqual(size.mostRefused);
}

export interface PostgresOutageSize {
  requests: number;
  /** In which the requests are to be refused. */
  promisedMs?: number;
}

/** Postgres is gone, or silent: every request is refused, and served again without a restart, and no event is lost. */
export async function losePostgres(
  system: System,
  how: 'gone' | 'silent',
  { requests, promisedMs }: PostgresOutageSize,
  report: Report = unreported,
): Promise<void> {
  const { postgres } = system.stack;
  const sendAll = () =>
    Promise.all(Array.from({ length: requests }, (_, index) => send(system, `agent-${index % 20}`)));
  const served = (await sendAll()).filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThan(0);
  if (how === 'gone') await postgres.stop();
  else postgres.pause();
  let during: Answered[];
  let refusal: Response;
  try {
    during = await sendAll();
    refusal = await fetch(`${system.proxies[0]?.url}/openai/v1/models`, { headers: { 'x-agent-name': 'agent-1' } });
  } finally {
    if (how === 'gone') await postgres.start();
    else postgres.resume();
  }
  report({ [`refused, Postgres ${how}`]: during.length, [`slowest refusal, ${how}`]: milliseconds(slowestOf(during)) });
  expect(during.map(({ status }) => status)).toEqual(Array(requests).fill(503));
  const headers = ['retry-after', 'x-should-retry'].map((name) => refusal.headers.get(name));
  expect([refusalText(await refusal.json()), ...headers]).toEqual([errorTable.status_unavailable.message, '1', null]);

  await waitFor('the proxy to serve again', async () => {
    const answer = await send(system, 'agent-1');
    if (answer.status === 200) served.push(answer);
    return answer.status === 200;
  });
  await waitFor('every event', async () => (await readEventIds(system)).length >= served.length);
  expect(await readEventIds(system)).toEqual(served.map(({ eventId }) => eventId).toSorted());
  expectWithin('the slowest refusal', slowestOf(during), promisedMs);
}
