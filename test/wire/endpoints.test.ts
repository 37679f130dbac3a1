import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedAgent, ListedEvent } from '@agp/core/contracts';
import { errorTable } from '@agp/core/errors';
import { refusalText } from '@agp/testing';
import { answerCanned, type FakeProvider, type FakeReply, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { openExchange, readAnswer } from './transparency/exchange-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'agp-endpoints-'));
let one: FakeProvider;
let two: FakeProvider;
let system: System;

beforeAll(async () => {
  [one, two] = await Promise.all([startFakeProvider(answerCanned()), startFakeProvider(answerCanned())]);
  const gone = await startFakeProvider(() => ({}));
  await gone.stop();
  const keyOf = (name: string) => {
    const file = join(folder, name);
    writeFileSync(file, `key-of-${name}`);
    return file;
  };
  const standBy = { base_url: `${two.url}/deep`, name: 'two', api_key_file: keyOf('two'), geo: 'eu', weight: 0 };
  const first = { base_url: one.url, name: 'one', api_key_file: keyOf('one'), geo: 'us' };
  const providers = [
    { id: 'twice', api: 'openai', endpoints: [first, standBy] },
    { id: 'plain', api: 'openai', endpoints: [{ base_url: one.url }, { base_url: two.url, weight: 0 }] },
    { id: 'half', api: 'openai', endpoints: [{ ...first, base_url: gone.url, name: 'gone' }, standBy] },
  ];
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify(providers));
  system = await startSystem({ environment: { PROVIDERS_FILE: file, UPSTREAM_TIMEOUT_SECONDS: '8' } });
  const policies = { near: ['eu'], nowhere: ['jp'] };
  for (const [name, geo] of Object.entries(policies))
    await system.api('/api/v1/policies', {
      method: 'POST',
      body: JSON.stringify({ name, mode: 'enforce', match: { agents: [name] }, where: { geo } }),
    });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await Promise.all([one?.stop(), two?.stop()]);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  one.handle(answerCanned());
  two.handle(answerCanned());
});

interface Sent {
  /** Members of the body beside the usual ones. */
  more?: object;
  provider?: string;
  agent?: string;
  session?: string;
  stream?: boolean;
  target?: string;
}

/** One call, what both endpoints got of it, and its events. */
async function send({ provider = 'twice', agent = 'caller', session, stream = false, target, more }: Sent) {
  const sessionId = session ?? `ses_${randomUUID()}`;
  const before = [one, two].map(({ requests }) => requests.length);
  const headers = ['Content-Type', 'application/json', 'X-Agent-Name', agent, 'X-Session-Id', sessionId];
  const body = Buffer.from(
    JSON.stringify({ model: 'gpt-5', stream, messages: [{ role: 'user', content: 'Hello' }], ...more }),
  );
  const call = { method: 'POST', target: target ?? '/v1/chat/completions', headers, body };
  const answer = await readAnswer(await openExchange(`${system.proxies[0]?.url}/${provider}`, call));
  const got = [one, two].map(({ requests }, index) => requests.slice(before[index]));
  return { ...answer, sessionId, got, asked: got.map(({ length }) => length) };
}

async function readEvents(sessionId: string): Promise<ListedEvent[]> {
  const path = `/api/v1/events?session_id=${sessionId}&expand=outcome`;
  return await waitFor('the event', async () => {
    const events = await system.api<ListedEvent[]>(path);
    return events.length > 0 && events;
  });
}

const costOfOne = 0.000175;
const busy = (status: number): FakeReply => ({
  status,
  body: { error: { message: 'busy' } },
  headers: { 'retry-after': '7' },
});

test.each<[string, Sent, FakeReply, reason: string]>([
  ['429', {}, busy(429), '429'],
  ['503', {}, busy(503), '503'],
  ['a connection that ends before the first byte', {}, { cut: true }, 'reset'],
  ['no connection', { provider: 'half' }, {}, 'refused'],
  ['429 to a stream', { stream: true }, busy(429), '429'],
])(
  '%s: the agent sees the answer of the next endpoint, and there is one event and one bill',
  async (_, sent, reply, reason) => {
    one.handle(() => reply);
    const { status, body, broken, sessionId, asked, got } = await send(sent);
    expect([status, broken]).toEqual([200, false]);
    expect(body.toString()).not.toContain('busy');
    expect(asked).toEqual([sent.provider === 'half' ? 0 : 1, 1]);
    // The same call, each with the endpoint's own key and path.
    const [first, second] = got.map(([request]) => request);
    expect(second).toMatchObject({
      target: '/deep/v1/chat/completions',
      headers: { authorization: 'Bearer key-of-two' },
    });
    if (first) {
      expect(first).toMatchObject({ target: '/v1/chat/completions', headers: { authorization: 'Bearer key-of-one' } });
      expect(second?.body.equals(first.body)).toBe(true);
    }
    const events = await readEvents(sessionId);
    expect(events).toMatchObject([
      { endpoint: 'two', outcome: 'completed', http_status: 200, failure: null, cost_usd: costOfOne },
    ]);
    const labels = sent.provider === 'half' ? 'provider="half",endpoint="gone"' : 'provider="twice",endpoint="one"';
    const series = `agp_proxy_failovers_total{${labels},reason="${reason}"}`;
    expect(await readMetric(system.proxies[0], series)).toBeGreaterThan(0);
  },
);

test.each<[string, FakeReply, status: number, outcome: string]>([
  ['500', busy(500), 500, 'completed'],
  ['400', busy(400), 400, 'completed'],
  ['silence', { hang: true }, 504, 'failed'],
])('%s is not asked for again', async (_, reply, status, outcome) => {
  one.handle(() => reply);
  const answer = await send({});
  expect([answer.status, answer.asked]).toEqual([status, [1, 0]]);
  expect(await readEvents(answer.sessionId)).toMatchObject([{ endpoint: 'one', outcome }]);
});

test('nothing is repeated once an answer has begun', async () => {
  const frame = `data: ${JSON.stringify({ model: 'gpt-5', choices: [{ index: 0, delta: { content: ' one' } }] })}\n\n`;
  one.handle(() => ({ headers: { 'content-type': 'text/event-stream' }, body: { steps: [frame, { cut: true }] } }));
  const { status, broken, body, asked, sessionId } = await send({ stream: true });
  expect([status, broken, body.toString(), asked]).toEqual([200, true, frame, [1, 0]]);
  expect(await readEvents(sessionId)).toMatchObject([{ endpoint: 'one', outcome: 'failed', failure: 'reset' }]);
});

test('it is repeated once: the agent sees what the next endpoint says, and pays nothing if both refuse', async () => {
  one.handle(() => busy(429));
  two.handle(() => ({ ...busy(503), headers: { 'retry-after': '9' } }));
  const refused = await send({});
  expect([refused.status, refused.headers['retry-after'], refused.asked]).toEqual([503, '9', [1, 1]]);
  expect(await readEvents(refused.sessionId)).toMatchObject([{ endpoint: 'two', http_status: 503, cost_usd: 0 }]);
  two.handle(() => ({ cut: true }));
  const lost = await send({});
  expect([lost.status, refusalText(lost.body), lost.asked]).toEqual([
    502,
    errorTable.provider_unreachable.message,
    [1, 1],
  ]);
  expect(await readEvents(lost.sessionId)).toMatchObject([{ endpoint: 'two', failure: 'reset' }]);
});

test('what no table knows streams through, and is not repeated', async () => {
  one.handle(() => busy(429));
  const { status, asked } = await send({ provider: 'plain', target: '/v1/unknown' });
  expect([status, asked]).toEqual([429, [1, 0]]);
});

test.each([
  ['a response', { previous_response_id: 'resp_1' }],
  ['a file', { input: [{ type: 'input_file', file_id: 'file-1' }] }],
])('a call that names %s is of the account that keeps it, and is not repeated', async (_, more) => {
  one.handle(() => busy(429));
  const { status, asked } = await send({ target: '/v1/responses', more });
  expect([status, asked]).toEqual([429, [1, 0]]);
});

test('a policy that came while the first endpoint was asked keeps the call from the next', async () => {
  const { promise: isKnown, resolve: refuse } = Promise.withResolvers<void>();
  one.handle(() => isKnown.then(() => busy(429)));
  two.handle(() => ({ hang: true }));
  const [first, second] = [one.requests.length, two.requests.length];
  const late = send({ agent: 'late' });
  await waitFor('the first endpoint', () => one.requests[first]);
  const witness = send({ agent: 'near' });
  await waitFor('the other call', () => two.requests[second]);
  const rule = { mode: 'enforce', match: { agents: ['late', 'near'] }, where: { geo: ['us'] }, running: 'stop' };
  const body = JSON.stringify({ name: 'late', ...rule });
  const { id } = await system.api<{ id: string }>('/api/v1/policies', { method: 'POST', body });
  // It is judged after the one that began before it.
  expect((await witness).status).toBe(403);
  refuse();
  expect((await late).status).toBe(429);
  expect(two.requests.length - second).toBe(1);
  const headers = { authorization: `Bearer ${system.apiKey}` };
  await fetch(`${system.management.url}/api/v1/policies/${id}`, { method: 'DELETE', headers });
});

test('a session stays where it was served last, and others go to their own endpoint', async () => {
  one.handle((_, index) => (index === one.requests.length - 1 ? busy(429) : {}));
  const moved = await send({});
  one.handle(answerCanned());
  expect(moved.asked).toEqual([1, 1]);
  expect((await send({ session: moved.sessionId })).asked).toEqual([0, 1]);
  expect((await send({})).asked).toEqual([1, 0]);
  two.handle(() => busy(429));
  expect((await send({ session: moved.sessionId })).asked).toEqual([1, 1]);
  two.handle(answerCanned());
  expect((await send({ session: moved.sessionId })).asked).toEqual([1, 0]);
});

test('an endpoint that a policy does not allow is never asked, and a refusal is as without endpoints', async () => {
  expect((await send({ agent: 'near' })).asked).toEqual([0, 1]);
  two.handle(() => busy(429));
  const refused = await send({ agent: 'near' });
  expect([refused.status, refused.asked]).toEqual([429, [0, 1]]);
  const denied = await send({ agent: 'nowhere' });
  expect([denied.status, denied.asked]).toEqual([403, [0, 0]]);
  expect(refusalText(denied.body)).toContain('denied by policy nowhere (rule where.geo)');
});

test('the event tells where the endpoint is that served', async () => {
  one.handle(() => busy(429));
  await system.api('/api/v1/policies', {
    method: 'POST',
    body: JSON.stringify({ name: 'seen', mode: 'observe', match: { agents: ['watched'] }, where: { geo: ['us'] } }),
  });
  const { sessionId } = await send({ agent: 'watched' });
  const [event] = await readEvents(sessionId);
  expect(await system.api(`/api/v1/events/${event?.id}/detail`)).toMatchObject({
    endpoint: 'two',
    asked: { geo: 'eu' },
    decision: [{ policy: 'seen', rule: 'where.geo', action: 'observe' }],
  });
});

test('a block ends the second try as the first', async () => {
  one.handle(() => busy(429));
  two.handle(() => ({ hang: true }));
  const before = two.requests.length;
  const sent = send({ agent: 'stopped' });
  const request = await waitFor('the second try', () => two.requests[before]);
  const [agent] = await system.api<ListedAgent[]>('/api/v1/agents?search=stopped');
  await system.api(`/api/v1/agents/${agent?.id}`, { method: 'PUT', body: JSON.stringify({ status: 'blocked' }) });
  const { status, sessionId } = await sent;
  expect([status, await request.aborted]).toEqual([403, true]);
  expect(await readEvents(sessionId)).toMatchObject([{ endpoint: 'two', outcome: 'killed' }]);
});
