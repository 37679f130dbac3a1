import { gzipSync } from 'node:zlib';
import { announcementSubject, connectBus, eventSubject } from '@agp/bus';
import { type FakeProvider, type FakeReply, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

/** What is left of the first is there when the second comes. */
const tries = 2;
const nest = (levels: number) => `${'[1,'.repeat(levels)}"x`;
/** 30 KB, and 180 KB. */
const broken = nest(10_000);
const large = nest(60_000);
const json = 'application/json';

let provider: FakeProvider;
let system: System;
/** Events of the requests that were forwarded. */
const announced: string[] = [];

beforeAll(async () => {
  provider = await startFakeProvider(() => ({ body: {} }));
  const providers = { PROVIDER_OPENAI_URL: provider.url, PROVIDER_GEMINI_URL: provider.url };
  // What would end a process ends the test here, and an error that nobody catches fails the run.
  system = await startSystem({ environment: providers });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const send = async (path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) => {
  const init = { method: 'POST', headers: { 'content-type': json, 'x-agent-name': 'deep', ...headers }, body };
  const response = await fetch(`${system.proxies[0]?.url}/${path}`, init);
  announced.push(response.headers.get('x-event-id') ?? 'none');
  return { status: response.status, text: await response.text() };
};

const chat = 'openai/v1/chat/completions';
const asked = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });

test.each([
  ['as it is', broken, {}],
  ['as messages', `{"model":"gpt-4o","messages":${broken}`, {}],
  ['as metadata', `{"model":"gpt-4o","messages":[],"metadata":${'{"a":'.repeat(10_000)}"x"`, {}],
  ['behind a megabyte', `{"model":"gpt-4o","messages":"${'x'.repeat(1_100_000)}","a":${broken}`, {}],
  ['compressed', gzipSync(broken), { 'content-encoding': 'gzip' }],
  ['in what a tool answered', JSON.stringify({ messages: [{ role: 'tool', content: broken }] }), {}],
])('a request body of it, %s, goes on to the provider and is recorded', async (_, body, headers) => {
  for (let index = 0; index < tries; index += 1) expect((await send(chat, body, headers)).status).toBe(200);
});

const event = (data: string) => ({
  headers: { 'content-type': 'text/event-stream' },
  body: { steps: [`data: ${data}\n\n`, 'data: [DONE]\n\n'] },
});

const answers: [string, string, FakeReply, string][] = [
  ['as it is', chat, { headers: { 'content-type': json }, body: large }, large],
  ['as usage', chat, { headers: { 'content-type': json }, body: `{"usage":${large}` }, `{"usage":${large}`],
  ['compressed', chat, { headers: { 'content-type': json, 'content-encoding': 'gzip' }, body: gzipSync(large) }, large],
  ['as an error', chat, { status: 400, headers: { 'content-type': json }, body: `{"error":${large}` }, large],
  ['in an event stream', chat, event(large), large],
  ['as usage in an event stream', chat, event(`{"usage":${large}`), large],
  [
    'as a streamed list',
    'gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    { headers: { 'content-type': json }, body: { steps: ['[', `{"usageMetadata":${large}`, large] } },
    large,
  ],
  [
    'at the end of nine megabytes',
    chat,
    { headers: { 'content-type': json }, body: `{"data":"${'x'.repeat(9_000_000)}","usage":${nest(20_000)}` },
    nest(20_000),
  ],
];

test.each(answers)('an answer of it, %s, reaches the agent and is recorded', async (_, path, reply, text) => {
  provider.handle(() => reply);
  for (let index = 0; index < tries; index += 1) {
    const answer = await send(path, asked);
    expect(answer.status).toBe(reply.status ?? 200);
    expect(answer.text.includes(text)).toBe(true);
  }
});

test('a change of an agent gets 400, of any field and compressed as well', async () => {
  const agents = await system.api<{ id: string }[]>('/api/v1/agents');
  const headers = { authorization: `Bearer ${system.apiKey}`, 'content-type': json };
  const put = async (body: string | Buffer<ArrayBuffer>, more: Record<string, string> = {}) => {
    const init = { method: 'PUT', headers: { ...headers, ...more }, body };
    const response = await fetch(`${system.management.url}/api/v1/agents/${agents[0]?.id}`, init);
    return [response.status, await response.json()];
  };
  const refused = [400, { error: 'body: nests too deep' }];
  for (let index = 0; index < tries; index += 1) {
    expect(await put(broken)).toEqual(refused);
    expect(await put(`{"metadata":${broken}`)).toEqual(refused);
    expect(await put(gzipSync(large), { 'content-encoding': 'gzip' })).toEqual(refused);
    expect(await put('{"status":[')).toEqual([400, { error: 'body: not valid JSON' }]);
  }
});

test('a message of it is set aside by the writer; an announcement of it ends live streams, which can be opened anew', async () => {
  await using cut = await openLiveStream();
  const connection = await connectBus({ url: system.stack.natsUrl, name: 'attacker' });
  for (let index = 0; index < tries; index += 1) {
    await connection.jetstream().publish(eventSubject, broken, { msgID: `deep ${index}` });
    connection.publish(announcementSubject, Buffer.from(broken));
  }
  await connection.flush();
  await connection.close();
  const { rows } = await waitFor('the messages to be set aside', async () => {
    const found = await system.database.pool.query('SELECT code, reason FROM quarantine');
    return found.rows.length === tries && found;
  });
  for (const row of rows) expect(row).toEqual({ code: 'not_json', reason: 'the text nests too deep' });
  await cut.ended;
  await using live = await openLiveStream();
  provider.handle(() => ({ body: { model: 'gpt-4o', usage: { prompt_tokens: 1, completion_tokens: 1 } } }));
  expect((await send(chat, asked)).status).toBe(200);
  await waitFor('the event to be told live', () => live.text().includes(announced.at(-1) as string));
});

async function openLiveStream() {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${system.apiKey}` };
  const response = await fetch(`${system.management.url}/api/v1/events/stream`, { headers, signal: abort.signal });
  expect(response.status).toBe(200);
  let text = '';
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  };
  const ended = read().catch(() => {});
  return {
    ended,
    text: () => text,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await ended;
    },
  };
}

test('the CLI that gets it for an answer, an error or an event says so in a line', async () => {
  await using server = await startFakeProvider(({ target }) =>
    target.includes('stream')
      ? {
          headers: { 'content-type': 'text/event-stream' },
          body: { steps: [`event: agent_event\ndata: ${large}\n\n`] },
        }
      : { status: target.includes('costs') ? 500 : 200, headers: { 'content-type': json }, body: large },
  );
  const environment = { AGP_URL: server.url, AGP_API_KEY: system.apiKey };
  for (const args of ['agents list', 'costs summary', 'events tail', 'audit verify']) {
    const { code, stderr } = await runCli(args.split(' '), environment);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^.{10,400}\n$/) });
  }
});

test('each forwarded request has its event', async () => {
  expect(announced.length).toBeGreaterThan(20);
  expect(announced.filter((id) => !id.startsWith('evt_'))).toEqual([]);
  await waitFor('every event', async () => {
    const { rows } = await system.database.pool.query('SELECT count(*)::int AS count FROM events');
    return rows[0].count === announced.length;
  });
  for (const process of [...system.proxies, ...system.writers, system.management]) {
    const health = await fetch(`${process.opsUrl}/healthz`);
    expect(health.status).toBe(200);
  }
});
