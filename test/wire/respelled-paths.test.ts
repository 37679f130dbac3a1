import { refusalText } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from '../control/support/budget-system.ts';
import { readMetrics } from '../system/read-metric.ts';
import { sendRaw, write } from './bad-input/send-raw.ts';

const chat = JSON.stringify({ model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] });
const usage = { prompt_tokens: 10, completion_tokens: 10 };

/** A server that takes every path, in whatever spelling, for one of its own, and bills each call. */
let budgets: BudgetSystem;
beforeAll(async () => {
  budgets = await startBudgetSystem(() => ({ body: { model: 'gpt-4o', usage, choices: [] } }), { proxies: 1 });
  await stayWithinTheDay(60_000);
});
afterAll(() => budgets?.[Symbol.asyncDispose]());

const other = 'is another operation once decoded, in other case or without a format';
const send = (line: string, headers: string[] = [], body = '') =>
  sendRaw(budgets.urls[0] ?? '', [write(line, ['X-Agent-Name: speller', ...headers], body)]);

test.each([
  ['/v1/chat/completion%73', 'must not escape letters, digits or - . _ ~'],
  ['/v1/Chat/Completions', other],
  ['/v1/chat%2Fcompletions', other],
  ['/v1/Chat/completions', other],
  ['/v1/chat/completions;x', 'must not contain ; or an encoded ? in its path'],
  ['/v1/chat/completions%20', 'must not have spaces or dots at the end of a path segment'],
  ['/v1/chat/completions%3Fx', 'must not contain ; or an encoded ? in its path'],
  ['/v1/chat/completions.json', other],
  ['/v1/chat/%2563ompletions', 'must not be percent-encoded twice'],
  ['/v1/chat/completion%C5%BF', 'must be ASCII in its path behind the provider'],
  ['/v1/message%73', 'must not escape letters, digits or - . _ ~'],
  ['/v1beta/models/gemini-2.5-pro:generatecontent', other],
])('a path that a lenient server reads as a model call is never forwarded as something else: %s', async (path, why) => {
  const before = budgets.provider.requests.length;
  const answer = await send(`POST /openai${path}`, ['Content-Type: application/json'], chat);
  expect([answer?.status, refusalText(answer?.body)]).toEqual([400, `request target ${why}`]);
  expect(budgets.provider.requests.length).toBe(before);
});

test('a GET that names another method is a GET when it is forwarded', async () => {
  const names = ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method', 'X-Original-Method'];
  const paths = ['X-Original-URL', 'X-Rewrite-URL', 'X-Envoy-Original-Path'];
  const headers = [...names.map((name) => `${name}: POST`), ...paths.map((name) => `${name}: /v1/chat/completions`)];
  const query = 'a=b&_method=POST&$httpMethod=POST&%24httpMethod=POST&c=d;_method=POST';
  const answer = await send(`GET /openai/v1/chat/completions?${query}`, [...headers, 'Max-Forwards: 0', 'X-Kept: 1']);
  expect(answer?.status).toBe(200);
  const received = budgets.provider.requests.at(-1);
  expect([received?.method, received?.target]).toEqual(['GET', '/v1/chat/completions?a=b']);
  expect(Object.keys(received?.headers ?? {}).sort()).toEqual(['connection', 'host', 'x-kept']);
});

test('a method that a lenient server takes for a POST is metered like one', async () => {
  const { spent } = await budgets.settle();
  const answer = await send('PUT /openai/v1/chat/completions', ['Content-Type: application/json'], chat);
  expect(answer?.status).toBe(200);
  expect((await budgets.settle()).spent).toBe(spent + 10 * 2_500 + 10 * 10_000);
});

test('a path that nobody knows spends the cap by what the settings say, and what it refuses or has no body is free', async () => {
  const { spent } = await budgets.readState('speller');
  await budgets.setAgentCap('speller', spent + 30_000_000);
  const call = () => send('POST /openai/v1/new-thing', ['Content-Type: application/json'], '{"prompt":"hello"}');
  for (const expected of [1, 2, 3]) {
    expect((await call())?.status).toBe(200);
    await budgets.settle();
    expect((await budgets.readState('speller')).spent).toBe(spent + expected * 10_000_000);
  }
  expect(refusalText((await call())?.body)).toMatch(/^daily budget exceeded: cap [\d.]+ USD, spent [\d.]+$/);
  const { rows } = await budgets.system.database.pool.query<{ payload: string }>(
    "SELECT payload FROM events WHERE payload::json ->> 'path' = '/v1/new-thing'",
  );
  expect(rows.map(({ payload }) => JSON.parse(payload))).toMatchObject(
    Array(3).fill({ usage_source: 'estimated', cost_usd: 0.01, model: 'unknown' }),
  );

  await budgets.setAgentCap('speller', null);
  expect((await call())?.status).toBe(200);
  expect((await send('GET /openai/v1/models'))?.status).toBe(200);
  await budgets.setAgentCap('speller', spent + 300_000_000);
  budgets.provider.handle(() => ({ status: 404, body: { error: { message: 'not found' } } }));
  expect((await call())?.status).toBe(404);
  await budgets.settle();
  expect((await budgets.readState('speller')).spent).toBe(spent + 30_000_000);
  const metrics = await readMetrics(budgets.system.proxies[0]);
  expect(metrics).toMatch(/agp_proxy_unknown_path_requests_total\{.*provider="openai".*\} 4\n/);
});
