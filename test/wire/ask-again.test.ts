import { type FakeProvider, type Handler, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { openExchange, readAnswer } from './transparency/exchange-bytes.ts';

/** Of each request in turn: the path, and whether it had `stream_options`. */
const received: [path: string, asked: boolean][] = [];
const chunk = 'data: {"model":"m","choices":[{"delta":{"content":"Hi"}}]}\n\n';
const refusal = '{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}';
const statuses: Readonly<Record<string, number>> = { strict: 422, picky: 400, usual: 422, lost: 422 };

/** Each refuses what it is named for: `stream_options`, any request at all in words of its own, or at length. */
const answer: Handler = ({ target: path, body }) => {
  const [, id = ''] = path.split(/[/?]/);
  const asked = body.includes('stream_options');
  received.push([path, asked]);
  const headers = { 'content-type': 'application/json' };
  if (id in statuses && asked) return { status: statuses[id] ?? 0, headers, body: refusal };
  if (id === 'lost') return { cut: true };
  if (id === 'broken') return { status: 400, headers, body: '{"error":"no"}' };
  if (id === 'long') return { status: 400, headers, body: `{"error":"${'x'.repeat(100_000)} stream_options"}` };
  if (id === 'never') return { status: 422, headers, body: refusal };
  return { headers: { 'content-type': 'text/event-stream' }, body: `${chunk}data: [DONE]\n\n` };
};

let fake: FakeProvider;
let system: System;

beforeAll(async () => {
  fake = await startFakeProvider(answer);
  const ids = ['strict', 'picky', 'usual', 'lost', 'broken', 'long', 'never'];
  const addresses = ids.map((id) => [`PROVIDER_${id.toUpperCase()}_URL`, `${fake.url}/${id}`]);
  system = await startSystem({ environment: Object.fromEntries(addresses) });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
});

async function ask(provider: string, more: object = {}, { query = '', write = JSON.stringify } = {}) {
  received.length = 0;
  const body = Buffer.from(write({ model: 'm', stream: true, messages: [], ...more }));
  const url = `${system.proxies[0]?.url}/${provider}`;
  const headers = ['Content-Type', 'application/json', 'X-Agent-Name', 'asker'];
  const got = await readAnswer(
    await openExchange(url, { method: 'POST', target: `/v1/chat/completions${query}`, headers, body }),
  );
  return { status: got.status, text: got.body.toString(), asked: received.map(([, asked]) => asked) };
}

test.each(['strict', 'picky'])(
  'a server that refuses stream_options is asked once more without, and never again: %s',
  async (id) => {
    const stream = { status: 200, text: `${chunk}data: [DONE]\n\n` };
    expect(await ask(id)).toEqual({ ...stream, asked: [true, false] });
    expect(await ask(id)).toEqual({ ...stream, asked: [false] });
    const counted = await readMetric(system.proxies[0], `agp_proxy_usage_refused_total{provider="${id}"}`);
    expect(counted).toBe(1);
  },
);

test('another error passes as it came, after one request', async () => {
  expect(await ask('broken')).toEqual({ status: 400, text: '{"error":"no"}', asked: [true] });
  const { status, text, asked } = await ask('long');
  expect([status, text.length, asked]).toEqual([400, 100_027, [true]]);
});

test('an error that stays is passed on, and the server is asked the next time too', async () => {
  const refused = { status: 422, text: refusal, asked: [true, false] };
  expect([await ask('never'), await ask('never')]).toEqual([refused, refused]);
});

test('what an agent asks for itself is its own', async () => {
  const options = { stream_options: { include_usage: true } };
  expect(await ask('never', options)).toEqual({ status: 422, text: refusal, asked: [true] });
});

test("what one caller's form or version made a server refuse says nothing of the server", async () => {
  const twice = (body: object) => JSON.stringify(body).replace('"stream":true', '"stream":"yes","stream":true');
  const asked = async (...given: Parameters<typeof ask>) => (await ask(...given)).asked;
  expect(await asked('usual', {}, { query: '?api-version=1' })).toEqual([true, false]);
  expect((await asked('usual', {}, { write: twice as typeof JSON.stringify }))[0]).toBe(true);
  expect(await asked('usual')).toEqual([true, false]);
  expect(await asked('usual')).toEqual([false]);
});

test('a server that goes away when it is asked once more did not answer', async () => {
  const { status, text, asked } = await ask('lost');
  expect([status, asked]).toEqual([502, [true, false]]);
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'provider_unreachable' } });
});
