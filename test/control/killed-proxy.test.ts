import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BudgetList, UnrecordedRequest } from '@agp/core/contracts';
import { createLogger, loadConfig } from '@agp/runtime';
import type { Handler } from '@agp/testing/providers';
import { answerCanned } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writerConfigSchema } from '../../services/writer/src/config.ts';
import { startWriter } from '../../services/writer/src/start-writer.ts';
import { type ServiceProcess, startProcesses } from '../system/start-processes.ts';
import { waitFor } from '../system/start-system.ts';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';
import { endLeases } from './support/end-leases.ts';
import { boundOnOutput, pricedModel } from './support/send-calls.ts';

/** Of the priced model, in nano-dollars a token. */
const nanoPerToken = { input: 2_500, output: 10_000 };

/** What the provider bills for everything that reached it. */
let billed = 0;

/** Bills as much as was asked for, as soon as the request is there; what becomes of the answer is in the path. */
const bill: Handler = async (received, index) => {
  if (received.body.length === 0) return { hang: true };
  const { max_tokens, messages } = JSON.parse(received.body.toString()) as { max_tokens: number; messages: unknown };
  // Of what the agent wrote: the proxy asks for the usage of streams in a member of its own.
  const figures = { input: Math.ceil(JSON.stringify(messages).length / 4), output: max_tokens };
  billed += figures.input * nanoPerToken.input + figures.output * nanoPerToken.output;
  if (received.target.includes('hangs')) return { hang: true };
  const slowly = { words: Array.from({ length: 600 }, (_, word) => ` word${word}`), pauseMs: 100 };
  const isStream = received.body.includes('"stream":true');
  return answerCanned({ ...figures, ...(isStream ? slowly : {}) })(received, index);
};

let budgets: BudgetSystem<ServiceProcess>;
let writer: Awaited<ReturnType<typeof startQuickWriter>>;

async function startQuickWriter() {
  const { databaseUrl, natsUrl, redisUrl } = budgets.system.stack.urls.writer;
  const environment = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl, OPS_PORT: '0' };
  const config = loadConfig(writerConfigSchema, environment);
  return startWriter(config, { logger: createLogger('writer', 'silent'), sweepEveryMs: 100 });
}

beforeAll(async () => {
  await stayWithinTheDay(120_000);
  budgets = await startBudgetSystem(bill, { proxies: 1, writers: 0 }, startProcesses);
  writer = await startQuickWriter();
}, 60_000);
afterAll(async () => {
  await writer?.stop();
  await budgets?.[Symbol.asyncDispose]();
});

/** Ids that agents were shown. */
const seen = new Set<string>();

interface Sent {
  agent: string;
  stream?: boolean;
  path?: string;
  method?: string;
}

/** Sends a request and notes the id of its event; resolves with the answer's head, or null where none came. */
function send(proxy: ServiceProcess, { agent, stream = false, path, method }: Sent): Promise<IncomingMessage | null> {
  const sent = request(`${proxy.url}/openai/v1/${path ?? 'chat/completions'}`, {
    method: method ?? 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-session-id': `of-${agent}` },
  });
  const messages = [{ role: 'user', content: 'Tell me everything.' }];
  if (method === 'GET') sent.end();
  else sent.end(JSON.stringify({ model: pricedModel, max_tokens: boundOnOutput, stream, messages }));
  return new Promise((resolve) => {
    sent.on('error', () => resolve(null));
    sent.on('response', (response) => {
      response.on('error', () => {}).resume();
      const eventId = response.headers['x-event-id'];
      if (typeof eventId === 'string') seen.add(eventId);
      resolve(response);
    });
  });
}

/** An answer that came to its end. */
async function sendToEnd(proxy: ServiceProcess, sent: Sent): Promise<void> {
  const response = await send(proxy, sent);
  // Not `once`: it rejects for one that is cut.
  if (response && !response.closed) await new Promise((resolve) => response.on('close', resolve));
}

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => make(at));

const readUnrecorded = () => budgets.system.api<UnrecordedRequest[]>('/api/v1/costs/unrecorded?limit=1000');

async function readRecorded(): Promise<Map<string, number>> {
  const events = await budgets.system.api<{ id: string; cost_usd: number }[]>('/api/v1/events?limit=1000');
  return new Map(events.map(({ id, cost_usd }) => [id, cost_usd]));
}

/** Lets the leases of the killed end and waits until every request is recorded or noted. */
async function settle(): Promise<{ recorded: Map<string, number>; unrecorded: UnrecordedRequest[] }> {
  await endLeases(budgets.system.stack.redisUrl);
  await budgets.settle();
  return { recorded: await readRecorded(), unrecorded: await readUnrecorded() };
}

/** No request is in both places, each that an agent knows of is in one, and neither place knows less than the provider. */
function expectAllAccounted({ recorded, unrecorded }: Awaited<ReturnType<typeof settle>>): void {
  const ids = unrecorded.map(({ event_id }) => event_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => recorded.has(id))).toEqual([]);
  expect([...seen].filter((id) => !recorded.has(id) && !ids.includes(id))).toEqual([]);
  expect(recorded.size + ids.length).toBeGreaterThanOrEqual(budgets.provider.requests.length);
  const costs = [...recorded.values(), ...unrecorded.map(({ cost_usd }) => cost_usd)];
  expect(Math.round(costs.reduce((sum, cost) => sum + cost, 0) * 1e9)).toBeGreaterThanOrEqual(billed);
}

test('what a proxy was serving when it was killed is charged and shown: streams, answers on their way, and those whose events NATS had not', async () => {
  const { system, provider } = budgets;
  const [proxy] = system.proxies as [ServiceProcess];
  const agents = ['capped-a', 'capped-b', 'free-a', 'free-b'];
  await Promise.all([...agents, 'refused', 'waiting'].map((agent) => sendToEnd(proxy, { agent })));
  await budgets.settle();
  expect((await settle()).unrecorded).toEqual([]);
  expect(Math.round([...(await readRecorded()).values()].reduce((sum, cost) => sum + cost, 0) * 1e9)).toBe(billed);
  const cost = billed / 6;
  for (const agent of ['capped-a', 'capped-b']) await budgets.setAgentCap(agent, 100 * cost);
  await budgets.setAgentCap('refused', 0);
  // The one before, and one more.
  await budgets.setAgentCap('waiting', Math.round(2.5 * cost));

  const streams = agents.flatMap((agent) => times(3, () => send(proxy, { agent, stream: true })));
  await Promise.all(streams);
  for (const agent of [...agents, 'waiting']) void send(proxy, { agent, path: 'hangs/chat/completions' });
  for (const agent of agents) void send(proxy, { agent, path: 'models', method: 'GET' });
  const running = 6 + 12 + 5 + 4;
  await waitFor('all of it at the provider', () => provider.requests.length === running);
  await system.stack.nats.kill();
  await Promise.all(agents.flatMap((agent) => times(2, () => sendToEnd(proxy, { agent }))));
  // Refused again and again, in every moment of its way.
  const hammering = times(8, async (at) => {
    while (!proxy.child.killed) await sendToEnd(proxy, { agent: at % 2 ? 'refused' : 'waiting' });
  });
  await sleep(200);
  await proxy.kill();
  await Promise.all(hammering);
  const forwarded = running + 8;
  expect(provider.requests).toHaveLength(forwarded);

  await system.stack.nats.start();
  const after = await settle();
  expectAllAccounted(after);
  expect(after.recorded.size).toBe(6);
  expect(after.unrecorded).toHaveLength(forwarded - 6);
  const byAgent = Map.groupBy(after.unrecorded, ({ agent_name }) => agent_name);
  expect(Object.fromEntries([...byAgent].map(([name, rows]) => [name, rows.length]))).toEqual({
    ...Object.fromEntries(agents.map((agent) => [agent, 3 + 1 + 1 + 2])),
    waiting: 1,
  });
  for (const row of after.unrecorded) {
    expect(row).toMatchObject({ reason: 'ended_without_record', provider: 'openai' });
    expect(row.session_id).toBe(after.unrecorded.find(({ agent_id }) => agent_id === row.agent_id)?.session_id);
    expect(Date.parse(row.noted_at ?? '')).toBeGreaterThan(Date.parse(row.started_at));
    expect(row.model).toBe(row.cost_usd === 0 ? null : pricedModel);
  }

  // Counted once, against its agent's cap too.
  const { agents: shown } = await system.api<BudgetList>('/api/v1/budgets');
  const capped = shown.find(({ agent_name }) => agent_name === 'capped-a');
  const rows = byAgent.get('capped-a') ?? [];
  const spent = rows.reduce((sum, { cost_usd }) => sum + cost_usd, cost / 1e9);
  expect(capped).toMatchObject({ reserved_usd: 0 });
  expect(capped?.spent_usd).toBeCloseTo(spent, 9);
  await budgets.setAgentCap('capped-a', Math.round(spent * 1e9));
  await writer.stop();
  const [next] = await Promise.all([system.start('proxy'), startQuickWriter().then((started) => (writer = started))]);
  expect((await send(next, { agent: 'capped-a' }))?.statusCode).toBe(429);
  expect(await readUnrecorded()).toEqual(after.unrecorded);
  await next.stop();
}, 60_000);

test('killed in the middle of anything, again and again, a proxy takes no request with it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const proxy = await budgets.system.start('proxy');
    const workers = times(16, async (at) => {
      while (!proxy.child.killed) await sendToEnd(proxy, { agent: at % 2 ? 'capped-b' : 'free-b', stream: at % 4 > 2 });
    });
    const before = budgets.provider.requests.length;
    await waitFor('some requests', () => budgets.provider.requests.length > before + 20 + round * 7);
    await proxy.kill();
    await Promise.all(workers);
  }
  const after = await settle();
  expectAllAccounted(after);
  expect(after.unrecorded.length).toBeGreaterThan(30);
}, 60_000);
