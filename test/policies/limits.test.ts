import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem } from '../system/start-system.ts';

const opened = new AsyncDisposableStack();
let system: System;

beforeAll(async () => {
  const provider = opened.use(await startFakeProvider(() => ({ body: {} })));
  const { url } = provider;
  system = opened.use(await startSystem({ environment: { PROVIDER_OPENAI_URL: url, PROVIDER_ANTHROPIC_URL: url } }));
  const limits = { max_cost_usd: 1, max_input_bytes: 10_000 };
  const policies = { strict: {}, lenient: { unreadable: 'allow' } };
  for (const [name, more] of Object.entries(policies))
    await system.api('/api/v1/policies', {
      method: 'POST',
      body: JSON.stringify({ mode: 'enforce', name, match: { agents: [name] }, limits, ...more }),
    });
  const short = { mode: 'enforce', name: 'short', match: { agents: ['short'] }, limits: { max_output_tokens: 5_000 } };
  await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(short) });
});
afterAll(() => opened.disposeAsync());

async function send(agent: string, path: string, body: string | Buffer, encoding = ''): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(encoding && { 'content-encoding': encoding }) };
  const url = `${system.proxies[0]?.url}${path}`;
  const answer = await fetch(url, { method: 'POST', headers: { ...headers, 'x-agent-name': agent }, body });
  await answer.arrayBuffer();
  return answer.status;
}

const opus = { model: 'claude-opus-4-7', max_tokens: 4_000, messages: [] };
const ofCalls = (count: number) =>
  JSON.stringify({ requests: Array.from({ length: count }, (_, at) => ({ custom_id: `${at}`, params: opus })) });
/** Some 30,000 bytes, of which little is left once they are packed twice. */
const large = Buffer.from(
  `{"model":"gpt-4o","max_tokens":1,"messages":[{"role":"user","content":"${'x'.repeat(30_000)}"}]}`,
);
const twice = gzipSync(gzipSync(large));
const messages = '/anthropic/v1/messages/batches';
const chat = '/openai/v1/chat/completions';

test.each<[string, string, string | Buffer, string, number, number]>([
  ['a batch of few calls', messages, ofCalls(10), '', 200, 200],
  ['a batch of many calls', messages, ofCalls(60), '', 403, 403],
  ['a batch from a file', '/openai/v1/batches', '{"input_file_id":"file-1"}', '', 403, 200],
  ['a large body, packed', chat, gzipSync(large), 'gzip', 403, 403],
  ['a large body, packed twice', chat, twice, 'gzip, gzip', 403, 200],
  ['a body in an unknown packing', chat, randomBytes(100), 'snappy', 403, 200],
  ['a packed body at an unknown path', '/openai/v1/unknown', gzipSync(large), 'gzip', 403, 200],
  ['a small body at an unknown path', '/openai/v1/unknown', '{}', '', 200, 200],
])('limits of %s', async (_, path, body, encoding, refused, allowed) => {
  const sent = [await send('strict', path, body, encoding), await send('lenient', path, body, encoding)];
  expect(sent).toEqual([refused, allowed]);
});

test.each<[string, string, object | string, number]>([
  ['of a batch from a file', '/openai/v1/batches', { input_file_id: 'file-1' }, 403],
  ["of Mistral's batch", '/openai/v1/batch/jobs', { input_files: ['f'], model: 'm' }, 403],
  ['of the calls of a batch', messages, JSON.parse(ofCalls(10)), 200],
  ['of calls, one without', messages, { requests: [{ params: opus }, { params: { ...opus, max_tokens: null } }] }, 403],
  ['of calls, one given twice', messages, ofCalls(1).replace('4000', '400000,"max_tokens":10'), 403],
  ["of Cohere's chat", '/openai/v2/chat', { model: 'command-a', max_tokens: 50, messages: [] }, 200],
  ["of Cohere's chat, too high", '/openai/v2/chat', { model: 'command-a', max_tokens: 9_000, messages: [] }, 403],
])('the bound of output %s', async (_, path, body, status) => {
  expect(await send('short', path, typeof body === 'string' ? body : JSON.stringify(body))).toBe(status);
});
