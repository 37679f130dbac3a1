import { randomUUID } from 'node:crypto';
import { errorTable } from '@agp/core/errors';
import { type FakeProvider, faultHeader, startFakeProvider } from '@agp/testing/providers';
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPayloads } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { answerClient, batchText } from './clients/answer-client.ts';
import { attachments, type Client } from './clients/client.ts';
import { clients } from './clients/list-clients.ts';
import type { Target } from './sdks/call.ts';
import { type Expected, flash, gpt5, opus } from './sdks/cases.ts';

let fake: FakeProvider;
let system: System;

beforeAll(async () => {
  fake = await startFakeProvider(answerClient);
  const providers = ['OPENAI', 'ANTHROPIC', 'GEMINI'].map((id) => [`PROVIDER_${id}_URL`, fake.url]);
  system = await startSystem({ environment: Object.fromEntries(providers) });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
});

/** By it the provider knows the requests of a row. */
const runHeader = 'x-test-run';

function aim({ provider, name }: Client, headers: Record<string, string> = {}) {
  const session = `ses_${randomUUID()}`;
  const target: Target = {
    baseUrl: `${system.proxies[0]?.url}/${provider}`,
    headers: { 'X-Agent-Name': name, 'X-Session-Id': session, [runHeader]: session, ...headers },
  };
  const received = () => fake.requests.filter((request) => request.headers[runHeader] === session);
  return { session, target, received };
}

const expected: Record<Client['provider'], Expected> = { openai: gpt5, anthropic: opus, gemini: flash };

/** The payloads of a session, once there is one for each request. */
function readAll(session: string, requests: number) {
  return waitFor(`${requests} events of ${session}`, async () => {
    const payloads = await readPayloads(system, session);
    return payloads !== undefined && payloads.length >= requests && payloads;
  });
}

async function expectRecorded({ provider }: Client, session: string, requests: number): Promise<void> {
  const { model, prompt, completion, nano } = expected[provider];
  const payload = {
    model,
    prompt_tokens: prompt,
    completion_tokens: completion,
    cost_usd: nano / 1e9,
    usage_source: 'provider',
    outcome: 'completed',
    http_status: 200,
  };
  const payloads = await readAll(session, requests);
  expect(payloads).toHaveLength(requests);
  for (const each of payloads) expect(each).toMatchObject(payload);
}

const said = /I was asked [0-9a-f]{64} \u{1F321}\./u;

describe.concurrent('a text', () => {
  test.each(clients)('by $name', async (client) => {
    const { session, target } = aim(client);
    expect(await client.ask(target)).toMatch(said);
    await expectRecorded(client, session, 1);
  });
});

describe.concurrent('a stream', () => {
  test.each(clients)('by $name', async (client) => {
    const { session, target } = aim(client);
    const shown: string[] = [];
    await client.stream(target, (text) => shown.push(text));
    expect(shown.join('')).toMatch(said);
    expect(shown.filter(Boolean).length).toBeGreaterThan(1);
    await expectRecorded(client, session, 1);
  });
});

describe.concurrent('tools that the model calls, two at once', () => {
  test.each(clients)('by $name', async (client) => {
    const { session, target, received } = aim(client);
    expect(await client.useTools(target)).toMatch(said);
    const results = received().map(
      ({ body }) => body.toString('utf8').replaceAll('\\', '').split('"celsius":12').length - 1,
    );
    expect(results).toEqual([0, 2]);
    await expectRecorded(client, session, 2);
  });
});

const attaching = clients.flatMap((client) => client.takes.map((kind) => ({ name: client.name, client, kind })));

describe.concurrent('an attachment', () => {
  test.each(attaching)('$kind by $name', async ({ client, kind }) => {
    const { session, target, received } = aim(client);
    expect(await client.ask(target, kind)).toMatch(said);
    expect(received()[0]?.body.toString('utf8')).toContain(attachments[kind].base64);
    await expectRecorded(client, session, 1);
  });
});

describe.concurrent('a batch costs half, once', () => {
  test.each(clients.filter(({ runBatch }) => runBatch))('by $name', async (client) => {
    const { session, target, received } = aim(client);
    expect(await client.runBatch?.(target)).toContain(batchText);
    const payloads = await readAll(session, received().length);
    const costs = payloads.map(({ cost_usd: cost }) => cost).filter((cost) => cost !== 0);
    // OpenAI tells the sum of all: half of 500,000 at USD 2.50 and 100,000 at 10 a million.
    expect(costs).toEqual([client.provider === 'openai' ? 1.125 : expected[client.provider].nano / 2e9]);
  });
});

describe.concurrent('a stream that its caller ends', () => {
  test.each(clients.filter(({ ends }) => ends))('by $name', async (client) => {
    const { session, target } = aim(client, { [faultHeader]: 'stall' });
    const controller = new AbortController();
    const shown: string[] = [];
    const streaming = client.stream({ ...target, signal: controller.signal }, (text) => {
      shown.push(text);
      if (text.includes('answer')) controller.abort();
    });
    // Some throw, others just end.
    await streaming.catch((error: unknown) => expect(String(error)).toMatch(/abort/i));
    expect(shown.join('')).toBe('The answer');
    const [payload] = await readAll(session, 1);
    expect(payload).toMatchObject({ outcome: 'aborted', usage_source: 'estimated', http_status: 200 });
    expect(payload?.completion_tokens).toBeGreaterThan(0);
    expect(payload?.cost_usd).toBeGreaterThan(0);
  });
});

interface Refused {
  agent_name: string;
  reason: string;
}

describe.concurrent('a refusal says why, and costs nothing', () => {
  test.each(clients)('by $name', async (client) => {
    const agent = `blocked ${client.name}`;
    const { session, target, received } = aim(client, { 'X-Agent-Name': agent });
    const registering = await fetch(`${target.baseUrl}/v1/models`, { headers: { 'X-Agent-Name': agent } });
    expect(registering.status).toBe(200);
    await system.database.pool.query("UPDATE agents SET status = 'blocked' WHERE name = $1", [agent]);
    await expect(client.ask({ ...target, maxRetries: 0 })).rejects.toThrow(errorTable.agent_blocked.message);
    await expect(client.stream({ ...target, maxRetries: 0 }, () => {})).rejects.toThrow(
      errorTable.agent_blocked.message,
    );
    expect(received()).toEqual([]);
    expect(await readPayloads(system, session)).toBeUndefined();
    const id = registering.headers.get('x-agent-id');
    const reasons = await waitFor('both refusals', async () => {
      const found = await system.api<Refused[]>(`/api/v1/refusals?agent_id=${id}`);
      return found.length >= 2 && found.map(({ reason }) => reason);
    });
    expect(reasons).toEqual(['agent_blocked', 'agent_blocked']);
  });
});

test('Google’s upload of files is refused', async () => {
  const gemini = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl: `${system.proxies[0]?.url}/gemini` } });
  const { bytes, type: mimeType } = attachments.file;
  const uploading = gemini.files.upload({ file: new Blob([new Uint8Array(bytes)]), config: { mimeType } });
  await expect(uploading).rejects.toThrow('resumable uploads are not governed yet');
});
