import { randomBytes } from 'node:crypto';
import { agentTokenPrefix } from '@agp/core/contracts';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import type { SentSpan } from './tracing/decode-spans.ts';
import { content, sendTraced, type TracedCall } from './tracing/send-traced.ts';
import { type Collector, startCollector } from './tracing/start-collector.ts';

const pauseMs = 60;
const words = [' one', ' two', ' three', ' four', ' five'];

let collector: Collector;
let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  collector = await startCollector();
  provider = await startFakeProvider(answerCanned({ words, pauseMs }));
  const gone = await startFakeProvider(() => ({}));
  await gone.stop();
  system = await startSystem({
    environment: {
      PROVIDER_OPENAI_URL: provider.url,
      PROVIDER_GONE_URL: gone.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
  await collector?.[Symbol.asyncDispose]();
});

const send = (call: Omit<TracedCall, 'url'> = {}) => sendTraced({ url: system.proxies[0]?.url, ...call });

const ofSession = (sessionId: string) => {
  const server = collector.spans.find(({ attributes }) => attributes['agp.session.id'] === sessionId);
  return collector.spans.filter(({ traceId }) => traceId === server?.traceId);
};

/** The agent's span of a session's only request, and the provider's within it. */
async function readSpans(sessionId: string, count = 2): Promise<[server: SentSpan, client: SentSpan | undefined]> {
  const spans = await waitFor(`${count} spans of ${sessionId}`, () => {
    const found = ofSession(sessionId);
    return found.length >= count && found;
  });
  expect(spans).toHaveLength(count);
  const server = spans.find(({ kind }) => kind === 'server') as SentSpan;
  const client = spans.find(({ kind }) => kind === 'client');
  if (client) {
    expect(client.parentSpanId).toBe(server.spanId);
    expect(client.start).toBeGreaterThanOrEqual(server.start);
    // The call ends with its last byte, and not when that was looked at.
    expect(client.end).toBeLessThan(server.end + 0.01);
  }
  return [server, client];
}

const receivedOf = (sessionId: string) => provider.requests.at(-1)?.headers ?? expect.fail(sessionId);

function expectRecorded(client: SentSpan | undefined, payload: Record<string, unknown>): void {
  expect(client?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o-mini',
    'gen_ai.response.model': payload.model,
    'gen_ai.conversation.id': payload.session_id,
    'gen_ai.usage.input_tokens': payload.prompt_tokens,
    'gen_ai.usage.output_tokens': payload.completion_tokens,
    'http.response.status_code': payload.http_status,
    'url.full': `${provider.url}/v1/chat/completions`,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(provider.url).port),
    'agp.event.id': payload.id,
    'agp.cost_usd': payload.cost_usd,
  });
}

test("a call goes on in the agent's trace, and its spans say what its event does", async () => {
  const traceId = randomBytes(16).toString('hex');
  const parentId = randomBytes(8).toString('hex');
  const headers = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'vendor=a,other=b' };
  const { sessionId, answer } = await send({ headers });
  expect((await answer.text()).length).toBeGreaterThan(10);
  const [server, client] = await readSpans(sessionId);
  const payload = await readPayload(system, sessionId);
  expect(server).toMatchObject({ traceId, parentSpanId: parentId, name: 'POST /openai/*', service: 'agp-proxy' });
  expect(server.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/openai/*',
    'url.path': '/openai/v1/chat/completions',
    'http.response.status_code': 200,
    'agp.event.id': payload.id,
    'agp.agent.id': payload.agent_id,
    'agp.outcome': 'completed',
  });
  expect(server.attributes).not.toHaveProperty('agp.refusal');
  expect([server.failed, client?.failed]).toEqual([false, false]);
  expect(client?.name).toBe('chat gpt-4o-mini');
  expect(payload).toMatchObject({ usage_source: 'provider', prompt_tokens: expect.any(Number) });
  expect(payload.cost_usd).toBeGreaterThan(0);
  expectRecorded(client, payload);
  expect(client?.attributes['gen_ai.request.stream']).toBe(false);
  expect(server.end - server.start).toBeGreaterThan((payload.duration_ms as number) - 2);
  expect(server.end - server.start).toBeLessThan((payload.duration_ms as number) + 2);
  // What the provider traces hangs below our call.
  expect(receivedOf(sessionId)).toMatchObject({
    traceparent: `00-${traceId}-${client?.spanId}-01`,
    tracestate: headers.tracestate,
  });
});

test('a stream ends its call at the last byte and tells of the first; where the agent names no trace none is told the provider', async () => {
  const { sessionId, answer } = await send({ stream: true });
  await answer.text();
  const [server, client] = await readSpans(sessionId);
  expect(server.parentSpanId).toBe('');
  expect(receivedOf(sessionId)).not.toHaveProperty('traceparent');
  expectRecorded(client, await readPayload(system, sessionId));
  expect(client?.attributes['gen_ai.request.stream']).toBe(true);
  const [first] = client?.events ?? [];
  expect(first?.name).toBe('agp.first_chunk');
  const toFirst = (first?.time ?? 0) - (client?.start ?? 0);
  expect(client?.attributes['gen_ai.response.time_to_first_chunk']).toBeCloseTo(toFirst / 1000, 2);
  expect((client?.end ?? 0) - (first?.time ?? 0)).toBeGreaterThan(pauseMs * (words.length - 1));
});

test('a traceparent that nobody can read begins a new trace and goes through as it is', async () => {
  const traceparent = '00-00000000000000000000000000000000-0000000000000000-01';
  const { sessionId, answer } = await send({ headers: { traceparent } });
  await answer.text();
  const [server] = await readSpans(sessionId);
  expect(server.parentSpanId).toBe('');
  expect(receivedOf(sessionId).traceparent).toBe(traceparent);
});

test('what its caller does not sample is not sampled, and its traceparent goes through as it is', async () => {
  const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
  const { sessionId, answer } = await send({ headers: { traceparent } });
  await answer.text();
  expect(receivedOf(sessionId).traceparent).toBe(traceparent);
  const later = await send();
  await later.answer.text();
  await readSpans(later.sessionId);
  expect(collector.spans.filter(({ traceId }) => traceparent.includes(traceId))).toEqual([]);
});

async function setStatus(name: string, status: string): Promise<void> {
  const agents = await system.api<{ id: string; name: string }[]>('/api/v1/agents');
  const id = agents.find((agent) => agent.name === name)?.id;
  await system.api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ status }) });
}

test('a killed stream ends both spans as failed, and the refusal of the next request is no failure of a server', async () => {
  provider.handle(answerCanned({ words: Array.from({ length: 300 }, () => ' word'), pauseMs: 50 }));
  const agentName = 'to-be-blocked';
  const { sessionId, answer } = await send({ agentName, stream: true });
  const reader = answer.body?.getReader();
  await reader?.read();
  await setStatus(agentName, 'blocked');
  while ((await reader?.read())?.done === false);
  provider.handle(answerCanned({ words, pauseMs }));
  const [server, client] = await readSpans(sessionId);
  for (const span of [server, client]) {
    expect(span?.failed).toBe(true);
    expect(span?.attributes['error.type']).toBe('killed');
  }
  expectRecorded(client, await readPayload(system, sessionId));

  const refused = await send({ agentName });
  expect(refused.answer.status).toBe(403);
  // What is refused before it has a session is known by its reason alone.
  const isRefusal = ({ attributes }: SentSpan) => attributes['agp.refusal'] === 'agent_blocked';
  const refusal = await waitFor('the span', () => collector.spans.find(isRefusal));
  expect(refusal.failed).toBe(false);
  expect(refusal.attributes).toMatchObject({ 'agp.refusal': 'agent_blocked', 'http.response.status_code': 403 });
  expect(refusal.attributes).not.toHaveProperty('error.type');
});

test('a request that is refused before anything is known of it has its span', async () => {
  const traceId = randomBytes(16).toString('hex');
  await send({ path: '/nowhere/v1', headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
  const span = await waitFor('the span', () => collector.spans.find((each) => each.traceId === traceId));
  expect(span).toMatchObject({ name: 'POST', failed: false, parentSpanId: '00f067aa0ba902b7' });
  expect(span.attributes).toMatchObject({ 'agp.refusal': 'unknown_provider', 'http.response.status_code': 404 });
  expect(span.attributes['url.path']).toBe('/nowhere/v1/chat/completions');
});

test('the path of a refused request has no query and no agent name, and is left out where it may hold a secret', async () => {
  const token = `${agentTokenPrefix}${'A'.repeat(43)}`;
  const paths = [
    [`/agents/traced/nowhere/v1?key=in-the-query&to=`, '/nowhere/v1'],
    [`/openai/${token}`, undefined],
    [`/nowhere/${token}`, undefined],
    ['/openai//traced', undefined],
  ] as const;
  for (const [path, shown] of paths) {
    const traceId = randomBytes(16).toString('hex');
    const { answer } = await send({ path, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
    expect(answer.status).toBeLessThan(500);
    const span = await waitFor('the span', () => collector.spans.find((each) => each.traceId === traceId));
    expect(span.attributes['url.path'], path).toBe(shown);
    expect(JSON.stringify(span)).not.toMatch(new RegExp(`in-the-query|${token}`));
  }
});

test('an answer that names no model has none in its span; its method is _OTHER where no convention knows it', async () => {
  provider.handle(() => ({ status: 529, body: { error: { message: 'overloaded', type: 'overloaded_error' } } }));
  const { sessionId, answer } = await send();
  expect(answer.status).toBe(529);
  const [, overloaded] = await readSpans(sessionId);
  expect(overloaded?.attributes['gen_ai.request.model']).toBe('gpt-4o-mini');
  expect(overloaded?.attributes).not.toHaveProperty('gen_ai.response.model');

  const rare = await send({ method: 'QUERY', path: '/openai/v1?key=in-the-query&to=' });
  provider.handle(answerCanned({ words, pauseMs }));
  const [server, client] = await readSpans(rare.sessionId);
  expect([server.name, client?.name]).toEqual(['HTTP /openai/*', 'HTTP']);
  const method = { 'http.request.method': '_OTHER', 'http.request.method_original': 'QUERY' };
  expect(server.attributes).toMatchObject(method);
  expect(client?.attributes).toMatchObject({ ...method, 'url.full': `${provider.url}/v1` });
});

test('a provider that cannot be reached fails both spans; an agent that leaves fails none', async () => {
  const { sessionId, answer } = await send({ path: '/gone/v1' });
  expect(answer.status).toBe(502);
  const [server, client] = await readSpans(sessionId);
  expect([server.failed, client?.failed]).toEqual([true, true]);
  expect(server.attributes).toMatchObject({
    'error.type': 'provider_unreachable',
    'agp.refusal': 'provider_unreachable',
    'http.response.status_code': 502,
  });
  expect(client?.attributes['error.type']).toBe('provider_unreachable');
  expect(client?.attributes).not.toHaveProperty('http.response.status_code');

  const leaving = new AbortController();
  const left = await send({ stream: true, signal: leaving.signal });
  await left.answer.body?.getReader().read();
  leaving.abort();
  const [abandoned, call] = await readSpans(left.sessionId);
  expect([abandoned.failed, call?.failed]).toEqual([false, false]);
  expect(abandoned.attributes['agp.outcome']).toBe('aborted');
});

test('nothing that was written is in any span', () => {
  expect(collector.spans.length).toBeGreaterThan(12);
  const all = JSON.stringify(collector.spans);
  for (const text of [content, ' one', 'traced', 'to-be-blocked']) expect(all).not.toContain(text);
});
