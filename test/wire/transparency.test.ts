import { createHash, randomUUID } from 'node:crypto';
import { answerCanned, type FakeProvider, type FakeReply, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { isMadeRequestId } from './sdks/to-comparable.ts';
import { answers, compressed, reply } from './transparency/answers.ts';
import { type BareAnswer, type BareRequest, exchangeBytes, toPairs } from './transparency/exchange-bytes.ts';
import { json, requests } from './transparency/requests.ts';

let fake: FakeProvider;
let system: System;
let forwarded = 0;

beforeAll(async () => {
  fake = await startFakeProvider(answerCanned());
  const environment = { PROVIDER_OPENAI_URL: fake.url, PROVIDER_ANTHROPIC_URL: `${fake.url}/base/path` };
  system = await startSystem({ environment });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const ours = ['x-agent-id', 'x-session-id', 'x-event-id', 'x-agp-request-id'];
const neverReturned = ['set-cookie', 'proxy-authenticate', 'x-of-connection'];

interface Both {
  direct: BareAnswer;
  proxied: BareAnswer;
  payload: Record<string, unknown>;
  received: { direct: FakeProvider['requests'][0]; proxied: FakeProvider['requests'][0] };
}

/** Sends the same bytes to the provider directly and through the proxy. Its answers hold a fixed `Date`. */
async function sendBoth(bare: BareRequest, reply: FakeReply | null, extra: string[] = []): Promise<Both> {
  const date = { date: 'Sun, 06 Nov 1994 08:49:37 GMT' };
  fake.handle(reply ? () => ({ ...reply, headers: { ...date, ...reply.headers } }) : answerCanned());
  const before = fake.requests.length;
  const direct = await exchangeBytes(fake.url, bare);
  const sessionId = `ses_${randomUUID()}`;
  const headers = [...(bare.headers ?? []), 'X-Session-Id', sessionId, 'X-Agent-Name', 'transparent', ...extra];
  const proxied = await exchangeBytes(`${system.proxies[0]?.url}/openai`, { ...bare, headers });
  forwarded += 1;
  const [first, second, ...more] = fake.requests.slice(before);
  expect(more).toEqual([]);
  if (!first || !second) throw new Error('a request did not reach the provider');
  const payload = await readPayload(system, sessionId);
  expect(proxied.headers['x-event-id']).toBe(payload.id);
  return { direct, proxied, payload, received: { direct: first, proxied: second } };
}

function expectSameRequest({ direct, proxied }: Both['received'], without: string[] = []): void {
  expect([proxied.method, proxied.target]).toEqual([direct.method, direct.target]);
  // The length is put at the end where the proxy read the body: its place means nothing.
  const fields = (raw: string[]) => toPairs(raw, ['content-length', ...without]);
  expect(fields(proxied.rawHeaders)).toEqual(fields(direct.rawHeaders));
  expect(proxied.headers['content-length']).toBe(direct.headers['content-length']);
  expect(proxied.headers['transfer-encoding']).toBe(direct.headers['transfer-encoding']);
  expect(proxied.body.equals(direct.body)).toBe(true);
}

function expectSameAnswer(direct: BareAnswer, proxied: BareAnswer): void {
  expect([proxied.status, proxied.statusMessage, proxied.broken]).toEqual([direct.status, direct.statusMessage, false]);
  const fields = (raw: string[]) =>
    toPairs(raw, [...ours, ...neverReturned])
      .filter(([name, value]) => !isMadeRequestId(name, value))
      .map(([name, value]) => [name.toLowerCase(), value])
      .sort();
  expect(fields(proxied.rawHeaders)).toEqual(fields(direct.rawHeaders));
  expect(proxied.body.equals(direct.body)).toBe(true);
}

describe('requests reach the provider as they were sent', () => {
  test.each(requests)('%s', async (_, bare) => {
    const { direct, proxied, payload, received } = await sendBoth(bare, { body: { ok: true } });
    expectSameRequest(received);
    expectSameAnswer(direct, proxied);
    expect(payload).toMatchObject({
      method: bare.method,
      path: bare.target.split('?')[0],
      http_status: 200,
      outcome: 'completed',
      request_sha256: bare.body && bare.body.length > 0 ? sha256(bare.body) : null,
      response_sha256: sha256(proxied.body),
    });
  });
});

describe('answers reach the agent as they were sent', () => {
  const body = Buffer.from('{"model":"gpt-5","messages":[],"stream":true,"stream_options":{"include_usage":true}}');
  test.each(answers)('%s', async (_, answer) => {
    const { direct, proxied, payload } = await sendBoth(
      { method: 'POST', target: '/v1/chat/completions', headers: json, body },
      answer,
    );
    expectSameAnswer(direct, proxied);
    expect(payload).toMatchObject({
      http_status: answer.status,
      response_sha256: sha256(proxied.body),
      direction: 'response',
    });
  });

  test('what is inside of compressed bytes is metered all the same', async () => {
    const gzip = reply(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, compressed);
    const { payload } = await sendBoth({ method: 'POST', target: '/v1/chat/completions', headers: json, body }, gzip);
    expect(payload).toMatchObject({ model: 'gpt-5', prompt_tokens: 3, completion_tokens: 2, usage_source: 'provider' });
  });
});

test('headers of the connection, of ours and of other proxies stop here', async () => {
  const kept = ['X-Kept', 'yes'];
  const dropped = [
    'Connection',
    'close, X-Of-Connection',
    'X-Of-Connection',
    '1',
    'Keep-Alive',
    'timeout=5',
    'TE',
    'trailers',
    'Cookie',
    'a=b',
    'Forwarded',
    'for=1.2.3.4',
    'X-Forwarded-For',
    '1.2.3.4',
    'X-Forwarded-Host',
    'h',
    'x-forwarded-proto',
    'https',
    'X-Forwarded-Anything',
    'x',
    'Proxy-Authorization',
    'Basic x',
    'Proxy-Made-Up',
    'x',
    'X-Compliance-Tag',
    'audit.me',
  ];
  const bare: BareRequest = { method: 'GET', target: '/v1/models', headers: kept };
  const cookies = {
    'set-cookie': ['a=1', 'b=2'],
    connection: 'close, X-Of-Connection',
    'x-of-connection': '1',
    'proxy-authenticate': 'Basic',
    'x-agent-id': 'agt_fake',
    'x-kept': 'yes',
  };
  const { direct, proxied, payload, received } = await sendBoth(bare, reply(200, cookies, 'ok'), dropped);
  expectSameRequest(received);
  expectSameAnswer(direct, proxied);
  for (const name of neverReturned) expect(proxied.headers[name]).toBeUndefined();
  expect(direct.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  expect(proxied.headers['x-agent-id']).toBe(payload.agent_id);
  expect(payload).toMatchObject({ compliance_tag: 'audit.me', source_ip: '127.0.0.1' });
});

describe('the usage of a chat stream', () => {
  const messages = '"messages":[{"role":"user","content":"Hi \u00e9"}]}';
  const send = (body: string) => {
    const headers = [...json, 'Accept-Encoding', 'gzip'];
    return sendBoth({ method: 'POST', target: '/v1/chat/completions', headers, body: Buffer.from(body) }, null);
  };

  test.each([
    ['{"stream":true,', '{"stream_options":{"include_usage":true},"stream":true,'],
    ['{ "stream" : true, "stream_options": null,', '{ "stream" : true, "stream_options": {"include_usage":true},'],
    ['{"stream":true,"stream_options":{"x":1},', '{"stream":true,"stream_options":{"include_usage":true,"x":1},'],
  ])('is asked for where a request begins %s, and the agent sees the bytes of a direct answer', async (start, sent) => {
    const body = `${start}"model":"gpt-5",${messages}`;
    const { direct, proxied, payload, received } = await send(body);
    expect(proxied.body.toString()).toBe(direct.body.toString());
    expect(direct.body.toString()).not.toContain('"usage"');
    expect(received.proxied.body.toString()).toBe(`${sent}"model":"gpt-5",${messages}`);
    expect(received.proxied.headers['accept-encoding']).toBe('identity');
    expect(payload).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 5,
      usage_source: 'provider',
      request_sha256: sha256(Buffer.from(body)),
      response_sha256: sha256(proxied.body),
    });
  });

  test.each(['true', 'false'])('is left alone where the request says include_usage %s', async (value) => {
    const { direct, proxied, payload, received } = await send(
      `{"stream":true,"stream_options":{"include_usage":${value}},"model":"gpt-5",${messages}`,
    );
    expectSameRequest(received);
    expectSameAnswer(direct, proxied);
    expect(proxied.body.includes('"usage":{')).toBe(value === 'true');
    expect(payload.usage_source).toBe(value === 'true' ? 'provider' : 'estimated');
    expect(payload.completion_tokens).toBeGreaterThan(3);
  });
});

test("a provider's base path stands before the request's path", async () => {
  fake.handle(() => ({ body: { ok: true } }));
  await exchangeBytes(`${system.proxies[0]?.url}/anthropic`, {
    method: 'GET',
    target: '/v1/models?x=1',
    headers: ['X-Agent-Name', 'transparent'],
  });
  forwarded += 1;
  expect(fake.requests.at(-1)?.target).toBe('/base/path/v1/models?x=1');
});

test('100 Continue is given once the agent is let through, and not asked of the provider', async () => {
  const body = Buffer.from('{"model":"gpt-5"}');
  const bare: BareRequest = {
    method: 'POST',
    target: '/v1/responses',
    headers: [...json, 'Expect', '100-continue'],
    body,
  };
  const { proxied, received } = await sendBoth(bare, { body: { ok: true } });
  expect(proxied.status).toBe(200);
  expectSameRequest(received, ['expect']);
});

test('each forwarded request has one event', async () => {
  const { rows } = await system.database.pool.query('SELECT count(*) AS events, count(DISTINCT id) AS ids FROM events');
  expect(rows).toEqual([{ events: forwarded, ids: forwarded }]);
  const usage = await system.api<{ request_count: number }>('/api/v1/costs/summary');
  expect(usage.request_count).toBe(forwarded);
});
