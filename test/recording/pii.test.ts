import { randomUUID } from 'node:crypto';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  const { url } = provider;
  const environment = { PROVIDER_OPENAI_URL: url, PROVIDER_ANTHROPIC_URL: url, PROVIDER_GEMINI_URL: url };
  system = await startSystem({ environment });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

/** Sends a request and gives what was recorded of its texts. */
async function record(path: string, body: string | null, headers: Record<string, string> = {}) {
  const { pii_detected, pii_types, pii_scan } = await recordAll(path, body, headers);
  return { pii_detected, pii_types, pii_scan };
}

async function recordAll(path: string, body: string | null, headers: Record<string, string> = {}) {
  const sessionId = await send(path, body, headers);
  return readPayload(system, sessionId);
}

/** @param body null for a GET */
async function send(path: string, body: string | null, headers: Record<string, string> = {}) {
  const sessionId = `ses_${randomUUID()}`;
  const answer = await fetch(`${system.proxies[0]?.url}${path}`, {
    method: body === null ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'writer', 'x-session-id': sessionId, ...headers },
    body,
  });
  await answer.arrayBuffer();
  return sessionId;
}

const ask = (content: string) => ({ messages: [{ role: 'user', content }] });
const chat = (content: string, more: object = {}) => JSON.stringify({ model: 'gpt-5-mini', ...ask(content), ...more });
const nothing = { pii_detected: false, pii_types: [], pii_scan: 'full' };

test('what an agent asks and what a tool gives it are searched', async () => {
  expect(await record('/openai/v1/chat/completions', chat('What is the answer?'))).toEqual(nothing);
  expect(await record('/openai/v1/chat/completions', chat('Pay with 4111 1111 1111 1111, please.'))).toEqual({
    pii_detected: true,
    pii_types: ['credit_card'],
    pii_scan: 'full',
  });
  const tool = { role: 'tool', tool_call_id: 'call_1', content: '{"customer":{"mail":"jane.roe@example.com"}}' };
  const withTool = JSON.stringify({ model: 'gpt-5-mini', messages: [...ask('Who is it?').messages, tool] });
  expect((await record('/openai/v1/chat/completions', withTool)).pii_types).toEqual(['email']);
});

const streams: [string, string, object][] = [
  ['chat completions', '/openai/v1/chat/completions', { model: 'gpt-5-mini', stream: true, ...ask('Who?') }],
  ['responses', '/openai/v1/responses', { model: 'gpt-5-mini', stream: true, input: 'Who?' }],
  ['messages', '/anthropic/v1/messages', { model: 'claude-opus-4-5', max_tokens: 9, stream: true, ...ask('Who?') }],
  ['generateContent', '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', { contents: [] }],
  ['generateContent as an array', '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent', { contents: [] }],
];

test.each(streams)('an address that a model writes in several deltas is found: %s', async (_, path, body) => {
  provider.handle(answerCanned({ words: ['Write to jane', '.roe@exa', 'mple.com', ' today'] }));
  const found = await record(path, JSON.stringify(body));
  provider.handle(answerCanned());
  expect(found).toEqual({ pii_detected: true, pii_types: ['email'], pii_scan: 'full' });
});

test('a large text is searched by the worker, to its end', async () => {
  const filler = 'The ships of the harbour carry grain and timber to the north. '.repeat(10_000);
  expect((await record('/openai/v1/chat/completions', chat(`${filler} jane.roe@example.com`))).pii_types).toEqual([
    'email',
  ]);
  // Larger than what is parsed on the request's way.
  expect(
    (await record('/openai/v1/chat/completions', chat(`${filler}${filler} jane.roe@example.com`))).pii_types,
  ).toEqual(['email']);
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw0KGgo'.repeat(100_000)}` } };
  const withImage = JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: [image] }] });
  expect(await record('/openai/v1/chat/completions', withImage)).toEqual(nothing);
});

const hidden: [string, string][] = [
  ['behind filler', chat(`${'='.repeat(1_024)} jane.roe@example.com`)],
  ['with zero-width spaces', chat([...'jane.roe@example.com'].join('\u200b'))],
  ['with soft hyphens', chat('jane.roe@exam\u00adple.com')],
  ['in full width', chat('ｊａｎｅ．ｒｏｅ＠ｅｘａｍｐｌｅ．ｃｏｍ')],
  ['in a role', chat('Hi', { messages: [{ role: 'Write to jane.roe@example.com.', content: 'Hi' }] })],
  ['in a link', chat('Hi', { messages: [{ role: 'user', content: [{ url: 'mailto:jane.roe@example.com' }] }] })],
  ['in the name of a user', chat('Hi', { user: 'jane.roe@example.com' })],
  ['in metadata', chat('Hi', { metadata: { customer: 'jane.roe@example.com' } })],
  [
    'in JSON in JSON',
    chat(JSON.stringify({ a: JSON.stringify({ b: 'jane.roe@example.com' }) }).replace('@', '\\\\u0040')),
  ],
];

test.each(hidden)('an address is found %s', async (_, body) => {
  const found = await record('/openai/v1/chat/completions', body);
  expect(found).toEqual({ pii_detected: true, pii_types: ['email'], pii_scan: 'full' });
});

test.each(['A'.repeat(1_024), '='.repeat(1_024), 'QUJD'.repeat(1_000)])(
  'filler costs what it is, and so does what stands behind it: %#',
  async (filler) => {
    const text = `${filler} ${'The ships of the harbour carry grain to the north. '.repeat(1_000)}`;
    provider.handle(() => ({ body: { model: 'gpt-5-mini', choices: [{ message: { content: 'Yes.' } }] } }));
    const payload = await recordAll('/openai/v1/chat/completions', chat(text));
    provider.handle(answerCanned());
    expect(payload).toMatchObject({ usage_source: 'estimated', pii_scan: 'full' });
    expect(Number(payload.prompt_tokens) / countTokens(text)).toBeCloseTo(1, 1);
    expect(Number(payload.cost_usd)).toBeGreaterThan(0);
  },
);

test('where a finding is stands beside the event, and neither its text nor the place in the payload', async () => {
  provider.handle(answerCanned({ words: ['Write to jane', '.roe@example.com'] }));
  const messages = [...ask('Hi').messages, ...ask('Pay with 4111 1111 1111 1111, please.').messages];
  const sessionId = await send('/openai/v1/chat/completions', chat('', { messages, user: 'jane.roe@example.com' }));
  provider.handle(answerCanned());
  const payload = await readPayload(system, sessionId);
  expect(payload).toMatchObject({ pii_types: ['credit_card', 'email'], pii_scan: 'full' });
  expect(payload).not.toHaveProperty('pii_findings');
  const { rows } = await system.database.pool.query('SELECT * FROM events WHERE session_id = $1', [sessionId]);
  expect(rows).toHaveLength(1);
  expect(rows[0].pii_findings).toEqual([
    { in: 'request', message: null, type: 'email' },
    { in: 'request', message: 1, type: 'credit_card' },
    { in: 'response', message: null, type: 'email' },
  ]);
  expect(JSON.stringify(rows[0])).not.toMatch(/jane|4111 1111/);
});

test('what nobody searched is said and counted, never taken for nothing', async () => {
  const unscanned = async (reason: string) =>
    (await readMetric(system.proxies[0], `agp_proxy_unscanned_requests_total{reason="${reason}"}`)) || 0;
  expect(await unscanned('unknown_path')).toBe(0);
  const upload = await record('/openai/v1/files', 'jane.roe@example.com', { 'content-type': 'text/plain' });
  expect(upload).toEqual({ pii_detected: false, pii_types: [], pii_scan: 'none' });
  expect(await unscanned('unknown_path')).toBe(1);
  // A list of models, a refusal of a request without a body, and an empty body have no text that anybody could search.
  provider.handle(({ target }) => ({
    status: target.endsWith('/models') ? 200 : 404,
    body: { object: 'list', data: [] },
  }));
  for (const path of ['models', 'files/file-1'])
    expect(await record(`/openai/v1/${path}`, null)).toEqual({ pii_detected: false, pii_types: [], pii_scan: 'none' });
  provider.handle(() => ({ status: 400, body: '' }));
  expect(await record('/openai/v1/chat/completions', '')).toEqual(nothing);
  // What a file says is text.
  provider.handle(() => ({ headers: { 'content-type': 'text/plain' }, body: 'jane.roe@example.com' }));
  expect(await record('/openai/v1/files/file-1/content', null)).toMatchObject({ pii_scan: 'none' });
  provider.handle(answerCanned());
  expect(await unscanned('unknown_path')).toBe(2);

  expect(await unscanned('unreadable')).toBe(0);
  provider.handle(() => ({
    headers: { 'content-type': 'application/json' },
    body: '{"choices":[{"message":{"content":"jane.roe@example.com',
  }));
  const broken = await record('/openai/v1/chat/completions', chat('Who?'));
  provider.handle(answerCanned());
  expect(broken).toEqual({ pii_detected: true, pii_types: ['email'], pii_scan: 'partial' });
  expect(await unscanned('unreadable')).toBe(1);
});
