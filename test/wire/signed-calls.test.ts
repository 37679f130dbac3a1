import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeProvider, type Handler, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startDemoProvider } from '../../packages/demo-provider/src/start-demo-provider.ts';
import { judgeSignature, minute, user } from '../../services/proxy/test/stand-in-aws.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { bedrockClients } from './clients/bedrock.ts';

// Clients of Bedrock send no key, and what the proxy makes of their calls is checked as AWS checks it.
const resources = new AsyncDisposableStack();
let demoUrl: string;
let first: FakeProvider;
let second: FakeProvider;
let system: System;

/** Bedrock of one region, which answers as the simulated provider does. @param aheadMs by how much its clock is ahead */
const bedrock =
  (region: string, aheadMs = 0): Handler =>
  async (request) => {
    const clock = Date.now() + aheadMs;
    const date = new Date(clock).toUTCString();
    const judged = judgeSignature(request, region, 'bedrock', clock);
    if (typeof judged === 'string') {
      const headers = { date, 'x-amzn-errortype': 'InvalidSignatureException' };
      return { status: 403, headers, body: { message: judged } };
    }
    const { method, target, body } = request;
    const answer = await fetch(`${demoUrl}/bedrock${target}`, {
      method,
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/json', accept: String(request.headers.accept ?? '*/*') },
    });
    const type = answer.headers.get('content-type') ?? '';
    return {
      status: answer.status,
      headers: { date, 'content-type': type },
      body: new Uint8Array(await answer.arrayBuffer()),
    };
  };

beforeAll(async () => {
  demoUrl = resources.use(await startDemoProvider({ host: '127.0.0.1', port: 0, delayMs: 0 })).url;
  first = resources.use(await startFakeProvider(() => ({})));
  second = resources.use(await startFakeProvider(bedrock('us-east-1')));
  const folder = mkdtempSync(join(tmpdir(), 'agp-signed-'));
  resources.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'providers.json');
  const endpoints = [
    { base_url: first.url, region: 'eu-central-1', name: 'first' },
    { base_url: second.url, region: 'us-east-1', name: 'second', weight: 0 },
  ];
  writeFileSync(
    file,
    JSON.stringify([{ id: 'signed', api: 'bedrock', auth: 'sign', request_metadata: true, endpoints }]),
  );
  const keys = { AWS_ACCESS_KEY_ID: user.accessKeyId, AWS_SECRET_ACCESS_KEY: user.secretAccessKey };
  system = await startSystem({ environment: { PROVIDERS_FILE: file, ...keys, AWS_SESSION_TOKEN: 'session/+==' } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await resources.disposeAsync();
});
beforeEach(() => first.handle(bedrock('eu-central-1')));

const baseUrl = () => `${system.proxies[0]?.url}/agents/signer-${randomUUID().slice(0, 8)}/signed`;

const modelPath = `/model/${encodeURIComponent('eu.anthropic.claude-sonnet-4-5-20250929-v1:0')}/converse`;

async function converse(base: string, query = '', model = modelPath) {
  const body = { messages: [{ role: 'user', content: [{ text: 'hi' }] }] };
  const headers = { 'content-type': 'application/json', 'x-amz-user-agent': 'aws-sdk-js/3  x', 'X-Amz-Date': 'stale' };
  const answer = await fetch(`${base}${model}${query}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, endpoint: answer.headers.get('x-agp-endpoint'), text: await answer.text() };
}

describe('an answer, and a stream,', () => {
  test.each(bedrockClients)('by $name', async (client) => {
    const base = baseUrl();
    expect((await client.ask(base)).text).toContain('Here is how I would look at it.');
    const shown: string[] = [];
    await client.stream(base, (text) => shown.push(text));
    expect(shown.join('')).toContain('Here is how I would look at it.');
  });
});

test.each(['', '?b=2&a=x+y&a=%C3%BC', '?q='])('a query is signed as it is sent: %s', async (query) => {
  expect(await converse(baseUrl(), query)).toMatchObject({ status: 200 });
});

test('a clock that is 10 minutes off costs a call once more each, and then none', async () => {
  first.handle(bedrock('eu-central-1', 10 * minute));
  const sent = async (calls: number) => {
    const before = first.requests.length;
    const answers = await Promise.all(Array.from({ length: calls }, () => converse(baseUrl())));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return first.requests.length - before;
  };
  expect([await sent(1), await sent(5)]).toEqual([2, 5]);
  first.handle(bedrock('eu-central-1', -10 * minute));
  expect([await sent(1), await sent(1)]).toEqual([2, 1]);
  // Back to what it was.
  first.handle(bedrock('eu-central-1'));
  expect([await sent(1), await sent(1)]).toEqual([2, 1]);
});

test('a refusal that no clock causes passes, once', async () => {
  first.handle(bedrock('ap-south-1'));
  const before = first.requests.length;
  expect(await converse(baseUrl())).toMatchObject({ status: 403, text: expect.stringContaining('no such scope') });
  expect(first.requests.length - before).toBe(1);
});

test('the next endpoint gets a signature for its own region', async () => {
  first.handle(() => ({ status: 429, body: {} }));
  const before = second.requests.length;
  expect(await converse(baseUrl())).toMatchObject({ status: 200 });
  expect(second.requests.length - before).toBe(1);
});
