import { hash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedEvent } from '@agp/core/contracts';
import { type FakeProvider, type FakeReply, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayloads } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

// What AWS would log of a call names the event, the agent and the session that our records have.
const folder = mkdtempSync(join(tmpdir(), 'agp-metadata-'));
let aws: FakeProvider;
let system: System;

const answered = (): FakeReply => ({
  body: {
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    stopReason: 'end_turn',
  },
});

beforeAll(async () => {
  aws = await startFakeProvider(answered);
  const of = { api: 'bedrock', base_url: aws.url };
  const endpoints = [
    { base_url: aws.url, name: 'one' },
    { base_url: aws.url, name: 'two', weight: 0 },
  ];
  const providers = [
    { ...of, id: 'telling', request_metadata: true },
    { ...of, id: 'silent' },
    { id: 'twice', api: 'bedrock', endpoints, request_metadata: true },
  ];
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify(providers));
  system = await startSystem({ environment: { PROVIDERS_FILE: file } });
  await system.api('/api/v1/policies', {
    method: 'POST',
    body: JSON.stringify({
      ...{ name: 'hidden', mode: 'enforce', match: { agents: ['hiding'] } },
      pii: { request: { email: 'redact' } },
    }),
  });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await aws?.stop();
  rmSync(folder, { recursive: true });
});

const text = '{ "messages": [{"role":"user","content":[{"text":"Say hi"}]}], "inferenceConfig": {"maxTokens": 5.0} }';

interface Sent {
  provider?: string;
  verb?: string;
  agent?: string;
  body?: string;
  headers?: Record<string, string>;
}

/** One call, what AWS got of it, and the ids that its caller was told. */
async function send({ provider = 'telling', verb = 'converse', agent = 'worker', body = text, headers }: Sent) {
  const before = aws.requests.length;
  const answer = await fetch(`${system.proxies[0]?.url}/${provider}/model/anthropic.claude-sonnet-5/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-session-id': randomUUID(), ...headers },
    body,
  });
  const [event, session, id] = ['event', 'session', 'agent'].map((name) => answer.headers.get(`x-${name}-id`));
  const own = { agp_event_id: event, agp_agent_id: id, agp_session_id: session, agp_agent_name: agent };
  return { status: answer.status, told: await answer.text(), own, session, got: aws.requests.slice(before) };
}

test.each(['converse', 'converse-stream'])('%s has it in the body, and all other bytes as they came', async (verb) => {
  const { status, own, session, got } = await send({ verb });
  expect(status).toBe(200);
  const sent = got[0]?.body.toString() ?? '';
  expect(sent).toBe(`{"requestMetadata":${JSON.stringify(own)},${text.slice(1)}`);
  expect(got[0]?.headers['content-length']).toBe(String(sent.length));
  const events = await waitFor('the event', async () => {
    const found = await system.api<ListedEvent[]>(`/api/v1/events?session_id=${session}`);
    return found.length > 0 && found;
  });
  expect(events).toMatchObject([{ id: own.agp_event_id, agent_id: own.agp_agent_id }]);
});

test('a body of several megabytes has it too, and is refused for the same', async () => {
  const long = JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'a b '.repeat(1_200_000) }] }] });
  const { own, got } = await send({ body: long });
  expect(got[0]?.body.equals(Buffer.from(`{"requestMetadata":${JSON.stringify(own)},${long.slice(1)}`))).toBe(true);
  const twice = `{"requestMetadata":{},"requestMetadata":{},${long.slice(1)}`;
  expect(await send({ body: twice })).toMatchObject({ status: 400, told: expect.stringContaining('is given twice') });
});

test('invoke has it in a header, beside what its caller wrote, who cannot be another', async () => {
  const body = '{ "messages": [{"role":"user","content":"Hi"}], "max_tokens": 5 }';
  const given = JSON.stringify({ team: 'sales', agp_agent_id: 'agt_other' });
  const headers = { 'X-Amzn-Bedrock-Request-Metadata': given, 'content-digest': 'sha-256=:of-it:' };
  const { own, got } = await send({ verb: 'invoke', body, headers });
  expect(got[0]?.body.toString()).toBe(body);
  expect(JSON.parse(String(got[0]?.headers['x-amzn-bedrock-request-metadata']))).toEqual({ ...own, team: 'sales' });
  expect(got[0]?.headers['content-digest']).toBe('sha-256=:of-it:');
});

test('a digest of what the caller wrote does not go on with another body', async () => {
  const headers = { 'content-digest': 'sha-256=:of-it:', 'content-md5': 'x' };
  const { got } = await send({ headers });
  expect(got[0]?.headers).not.toHaveProperty('content-digest');
  expect(got[0]?.headers).not.toHaveProperty('content-md5');
  const { got: unchanged } = await send({ provider: 'silent', headers });
  expect(unchanged[0]?.headers).toMatchObject(headers);
});

test.each(['converse', 'invoke'])('%s of a provider that is not to be told goes on as it came', async (verb) => {
  const body = '{"requestMetadata":{"agp_agent_id":"agt_1"},"messages":[],"max_tokens":1}';
  const { got } = await send({ provider: 'silent', verb, body });
  expect(got[0]?.body.toString()).toBe(body);
  expect(got[0]?.headers).not.toHaveProperty('x-amzn-bedrock-request-metadata');
});

test('what is not sure is refused, and goes nowhere', async () => {
  const twice = '{"requestMetadata":{},"messages":[],"requestMetadata":{"agp_agent_id":"agt_1"}}';
  const { status, told, got } = await send({ body: twice });
  expect([status, got.length]).toEqual([400, 0]);
  expect(told).toContain('requestMetadata is given twice, and this proxy writes into it who calls');
});

test('the next endpoint is told the same', async () => {
  let asked = 0;
  aws.handle(() => (asked++ === 0 ? { status: 429, body: { message: 'busy' } } : answered()));
  const { status, got } = await send({ provider: 'twice' });
  aws.handle(answered);
  expect([status, got.length]).toEqual([200, 2]);
  expect(got[1]?.body.toString()).toBe(got[0]?.body.toString());
  expect(got[1]?.body.toString()).toContain('agp_event_id');
});

test('of a body that a policy changed the event has the digest of what was sent', async () => {
  const { own, session, got } = await send({ agent: 'hiding', body: text.replace('Say hi', 'Ask ann@example.org') });
  const sent = got[0]?.body ?? Buffer.alloc(0);
  expect(sent.toString()).not.toContain('ann@example.org');
  expect(sent.toString()).toContain(`"agp_event_id":"${own.agp_event_id}"`);
  const [payload] = await waitFor('the event', async () => {
    const found = await readPayloads(system, session as string);
    return found && found.length > 0 && found;
  });
  expect(payload?.forwarded_sha256).toBe(hash('sha256', sent));
});
