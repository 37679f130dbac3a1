import { randomUUID } from 'node:crypto';
import { type FakeProvider, type FakeReply, startFakeProvider } from '@agp/testing/providers';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';

let fake: FakeProvider;
let system: System;

beforeAll(async () => {
  fake = await startFakeProvider(() => ({}));
  system = await startSystem({ environment: { PROVIDER_OPENAI_URL: fake.url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
});

/** Makes one call by the official client, and gives what it saw beside what was recorded. */
async function record<Seen>(reply: FakeReply, call: (client: OpenAI) => Promise<Seen>) {
  fake.handle(() => reply);
  const sessionId = `ses_${randomUUID()}`;
  const client = new OpenAI({
    apiKey: 'not-a-key',
    baseURL: `${system.proxies[0]?.url}/openai/v1`,
    defaultHeaders: { 'x-agent-name': 'painter', 'x-session-id': sessionId },
    maxRetries: 8,
  });
  const seen = await call(client);
  return { seen, recorded: await readPayload(system, sessionId) };
}

/** A sound file that is longer than what is parsed at once, and full of what looks like the form's own lines. */
const sound = () => toFile(Buffer.alloc(3_000_000, '\r\n--x\r\n\r\n'), 'speech.mp3', { type: 'audio/mpeg' });

test('a picture to be edited counts for nothing where the provider tells nothing', async () => {
  const body = { created: 1, data: [{ url: 'https://images.test/1' }] };
  const { recorded } = await record({ body }, async (client) => {
    const image = await toFile(Buffer.alloc(3_000_000, 7), 'cat.png', { type: 'image/png' });
    return client.images.edit({ image, model: 'dall-e-2', prompt: 'A hat.', n: 2 });
  });
  expect(recorded).toMatchObject({
    model: 'dall-e-2',
    prompt_tokens: 3,
    completion_tokens: 0,
    usage_source: 'estimated',
  });
});

test('a transcription is paid by the second, and what was asked and said is searched', async () => {
  const answer = { text: 'Ada lives on.', usage: { type: 'duration', seconds: 90 } };
  const { seen, recorded } = await record({ body: answer }, async (client) =>
    client.audio.transcriptions.create({ file: await sound(), model: 'whisper-1', prompt: 'Write to ada@example.com' }),
  );
  expect(seen).toEqual(answer);
  expect(fake.requests.at(-1)?.body.length).toBeGreaterThan(3_000_000);
  // 0.36 USD an hour.
  expect(recorded).toMatchObject({
    model: 'whisper-1',
    cost_usd: 0.009,
    usage_source: 'provider',
    pii_types: ['email'],
    pii_scan: 'full',
  });
});

test('subtitles are read, and paid to their end', async () => {
  const body =
    '1\n00:00:00,000 --> 00:00:02,000\nWrite to ada@\n\n2\n00:00:02,000 --> 00:01:30,000\nexample.com, she said.\n';
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const { seen, recorded } = await record({ headers, body }, async (client) =>
    client.audio.translations.create({ file: await sound(), model: 'whisper-1', response_format: 'srt' }),
  );
  expect(seen).toBe(body);
  expect(recorded).toMatchObject({ cost_usd: 0.009, usage_source: 'estimated', pii_scan: 'full' });
});

test('speech is paid by the character where its model is, and nothing is sought in the sound', async () => {
  const body = Buffer.from([0xff, 0xf3, 0, 1]);
  const { seen, recorded } = await record({ headers: { 'content-type': 'audio/mpeg' }, body }, async (client) => {
    const answer = await client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'x'.repeat(2_000) });
    return Buffer.from(await answer.arrayBuffer());
  });
  expect(seen).toEqual(body);
  // 15 USD for a million characters.
  expect(recorded).toMatchObject({ model: 'tts-1', cost_usd: 0.03, usage_source: 'estimated', pii_scan: 'full' });
});

test('a streamed image is paid by its own tokens', async () => {
  const usage = { input_tokens: 50, input_tokens_details: { text_tokens: 10, image_tokens: 40 }, output_tokens: 1_056 };
  const events = [
    { type: 'image_edit.partial_image', b64_json: 'A'.repeat(400_000), partial_image_index: 0 },
    { type: 'image_edit.completed', b64_json: 'A'.repeat(400_000), usage: { ...usage, total_tokens: 1_106 } },
  ];
  const steps = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const reply = { headers: { 'content-type': 'text/event-stream' }, body: { steps } };
  const { seen, recorded } = await record(reply, async (client) => {
    const image = await toFile(Buffer.from([1, 2, 3]), 'cat.png', { type: 'image/png' });
    const seen: object[] = [];
    const stream = await client.images.edit({ image, model: 'gpt-image-1.5', prompt: 'A hat.', stream: true });
    for await (const event of stream) seen.push(event);
    return seen;
  });
  expect(seen).toEqual(events);
  // 10 at 5, 40 at 8, and 1,056 at 32 USD for a million.
  expect(recorded).toMatchObject({
    model: 'gpt-image-1.5',
    prompt_tokens: 50,
    completion_tokens: 1_056,
    cost_usd: 0.034162,
    usage_source: 'provider',
    pii_scan: 'full',
  });
});

test("images that a response's tool made are paid at their own model's price, and its searches one by one", async () => {
  const body = {
    id: 'resp_1',
    object: 'response',
    model: 'gpt-5',
    status: 'completed',
    output: [{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'cats' } }],
    tools: [{ type: 'image_generation', model: 'gpt-image-1.5' }, { type: 'web_search' }],
    tool_usage: {
      image_gen: { input_tokens: 100, output_tokens: 1_000, total_tokens: 1_100 },
      web_search: { num_requests: 1 },
    },
    usage: { input_tokens: 1_000, output_tokens: 200, total_tokens: 1_200 },
  };
  const { recorded } = await record({ body }, (client) =>
    client.responses.create({ model: 'gpt-5', input: 'Draw a cat.' }),
  );
  // 1,000 at 1.25 and 200 at 10, a search for 0.01, and the image: 100 at 5 and 1,000 at 32.
  expect(recorded).toMatchObject({ prompt_tokens: 1_100, completion_tokens: 1_200, cost_usd: 0.04575 });
});
