import { type FakeProvider, type FakeReply, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeToken } from '../control/support/admin-calls.ts';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { connectAnthropic, connectGemini, connectOpenai } from './sdks/connect.ts';

const results = '/v1/messages/batches/msgbatch_1/results';
const message = {
  model: 'claude-sonnet-4-5-20250929',
  usage: { input_tokens: 1_000, output_tokens: 100, service_tier: 'batch' },
  content: [{ type: 'text', text: 'Yes.' }],
};
/** Half of 3 and 15 USD a million. */
const costUsd = (1_000 * 3 + 100 * 15) / 2 / 1e6;

let fake: FakeProvider;
let system: System;
let token: string;

const batch = () => ({ id: 'msgbatch_1', processing_status: 'ended', results_url: fake.url + results });
const file = () => ({
  name: 'files/f1',
  uri: `${fake.url}/v1beta/files/f1`,
  downloadUri: `${fake.url}/v1beta/files/f1:download?alt=media`,
});
const video = () => ({ id: 'v1', status: 'completed', polling_url: `${fake.url}/v1/videos/v1` });

const answers: Record<string, () => FakeReply> = {
  [results]: () => ({
    headers: { 'content-type': 'application/x-jsonl' },
    body: `${JSON.stringify({ custom_id: 'c', result: { type: 'succeeded', message } })}\n`,
  }),
  '/v1/messages/batches/msgbatch_1': () => ({ body: batch() }),
  '/v1/messages/batches': () => ({ body: { data: [batch(), batch()], has_more: false } }),
  '/v1/messages/batches/msgbatch_odd': () => ({ headers: { 'content-encoding': 'gzip' }, body: batch() }),
  '/v1beta/files/f1': () => ({ body: file() }),
  '/v1beta/files': () => ({ body: { files: [file()] } }),
  '/v1/videos/v1': () => ({ body: video() }),
  '/v1/moved': () => ({ status: 307, headers: { location: `${fake.url}/v1/models?a=b` } }),
};

beforeAll(async () => {
  fake = await startFakeProvider(({ target }) => answers[target.split('?', 1)[0] ?? '']?.() ?? { body: { ok: true } });
  const providers = { PROVIDER_OPENAI_URL: fake.url, PROVIDER_ANTHROPIC_URL: fake.url, PROVIDER_GEMINI_URL: fake.url };
  system = await startSystem({ environment: { AGENT_IDENTITY: 'token', ...providers } });
  token = (await makeToken(system, 'follower')).secret;
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await fake?.stop();
});

const baseUrl = (provider: string) => `${system.proxies[0]?.url}/${provider}`;

test('the batch results that the Anthropic SDK follows a link to come through the proxy, and are billed', async () => {
  const session = 'ses_of-the-link';
  const client = connectAnthropic({
    baseUrl: baseUrl('agents/follower/anthropic'),
    headers: { 'x-api-key': token, 'x-session-id': session },
  });
  for await (const { custom_id } of await client.messages.batches.results('msgbatch_1')) expect(custom_id).toBe('c');
  const seen = fake.requests.slice(-2);
  expect(seen.map(({ target }) => target)).toEqual(['/v1/messages/batches/msgbatch_1', results]);
  expect(seen.flatMap(({ rawHeaders }) => rawHeaders).join(' ')).not.toContain('agp_');
  await vi.waitFor(async () => {
    const { rows } = await system.database.pool.query('SELECT sum(cost_usd)::float AS cost FROM events');
    expect(rows).toEqual([{ cost: costUsd }]);
  }, 10_000);
});

test('no official SDK of any dialect sends an agent token past the proxy, whatever links an answer holds', async () => {
  const dialled: string[] = [];
  const real = globalThis.fetch;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    dialled.push(new URL(input instanceof Request ? input.url : input).origin);
    return real(input, init);
  });
  const anthropic = connectAnthropic({ baseUrl: baseUrl('anthropic'), headers: { 'x-api-key': token } });
  const openai = connectOpenai({ baseUrl: baseUrl('openai'), headers: { authorization: `Bearer ${token}` } });
  const gemini = connectGemini({ baseUrl: baseUrl('gemini'), headers: { 'x-agent-token': token } });
  const before = fake.requests.length;
  for await (const each of anthropic.messages.batches.list()) await anthropic.messages.batches.results(each.id);
  await anthropic.beta.messages.batches.results('msgbatch_1');
  await anthropic.messages.batches.cancel('msgbatch_1');
  await openai.batches.retrieve('batch_1');
  await openai.files.content('file-1');
  await openai.videos.retrieve('v1');
  await openai.videos.downloadContent('v1');
  const { uri, downloadUri } = await gemini.files.get({ name: 'f1' });
  await gemini.files.list();
  spy.mockRestore();
  expect(new Set(dialled)).toEqual(new Set([system.proxies[0]?.url]));
  expect(dialled).toHaveLength(fake.requests.length - before);
  expect(uri).toBe(file().uri);
  expect(downloadUri).toBe(`${baseUrl('gemini')}/v1beta/files/f1:download?alt=media`);
  expect(fake.requests.flatMap(({ rawHeaders }) => rawHeaders).join(' ')).not.toContain('agp_');
});

const ask = (path: string, session = 'ses_link') =>
  fetch(`${system.proxies[0]?.url}${path}`, {
    redirect: 'manual',
    headers: { 'x-agent-token': token, 'x-session-id': session, 'accept-encoding': 'br' },
  });

test('an answer differs from the provider’s in its link alone, and a redirect leads to the proxy, too', async () => {
  const answer = await ask('/openai/v1/videos/v1');
  expect(await answer.text()).toBe(JSON.stringify(video()).replace(fake.url, baseUrl('openai')));
  expect(fake.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
  const moved = await ask('/openai/v1/moved');
  expect([moved.status, moved.headers.get('location')]).toEqual([307, `${baseUrl('openai')}/v1/models?a=b`]);
});

test('an answer with links in an encoding that nobody asked for is not passed on', async () => {
  const answer = await ask('/anthropic/v1/messages/batches/msgbatch_odd', 'ses_odd');
  expect(answer.status).toBe(502);
  expect(await readPayload(system, 'ses_odd')).toMatchObject({ outcome: 'failed' });
});
