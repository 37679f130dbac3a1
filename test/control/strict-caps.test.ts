import { gzipSync } from 'node:zlib';
import { refusalText } from '@agp/testing';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { WorstProvider } from './strict/answer-at-worst.ts';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';
import { answerAsReserved, countResults } from './support/send-calls.ts';

/*
 * A provider that bills the dearest of all readings of a request, and caps that must hold against it.
 */

/** 0.05 USD, in nano-dollars. */
const cap = 50_000_000;

const provider = new WorstProvider();
const dispatcher = new Agent({ connections: 100 });
let budgets: BudgetSystem;
let strictUrl: string;

beforeAll(async () => {
  budgets = await startBudgetSystem(provider.answer, { proxies: 1 });
  const strict = await budgets.system.start('proxy', { BUDGET: 'strict', PROVIDER_OPENAI_URL: budgets.provider.url });
  strictUrl = strict.url;
  await stayWithinTheDay(60_000);
});
afterAll(async () => {
  await dispatcher.destroy();
  await budgets?.[Symbol.asyncDispose]();
});

interface Attack {
  body: string | Buffer;
  headers?: Record<string, string>;
  /** Below `/openai/v1`. */
  path?: string;
}

async function send(url: string, agentName: string, { body, headers, path = 'chat/completions' }: Attack) {
  const named = { 'content-type': 'application/json', 'x-agent-name': agentName, 'user-agent': agentName, ...headers };
  const answer = await request(`${url}/openai/v1/${path}`, { method: 'POST', dispatcher, headers: named, body });
  const said = await answer.body.json();
  return { status: answer.statusCode, error: answer.headers['x-error-code'] ? refusalText(said) : null };
}

let agents = 0;
/** An agent that is known, and has a cap. */
async function makeAgent(url: string, nanoUsd: number): Promise<string> {
  const agentName = `attacker-${agents++}`;
  const answer = await fetch(`${url}/openai/v1/models`, { headers: { 'x-agent-name': agentName } });
  await answer.arrayBuffer();
  await budgets.setAgentCap(agentName, nanoUsd);
  return agentName;
}

const ask = (more: string) => `{"model":"gpt-4o",${more},"messages":[{"role":"user","content":"Well?"}]}`;
const large = ask('"max_tokens":100000');

/** What contradicts itself, and is read at its largest in any mode. */
const competing: [string, Attack][] = [
  ['a small bound beside a large one', { body: ask('"max_completion_tokens":1,"max_tokens":100000') }],
  ['a large bound beside a small one', { body: ask('"max_tokens":1,"max_completion_tokens":100000') }],
  ['one bound given twice', { body: ask('"max_tokens":100000,"max_tokens":1') }],
  ['one bound given twice, with an escape', { body: ask('"max\\u005ftokens":100000,"max_tokens":1') }],
  ['a bound in upper case', { body: ask('"max_tokens":1,"MAX_TOKENS":100000') }],
  ['a bound of another API', { body: ask('"max_tokens":1,"maxOutputTokens":100000') }],
  ['a bound in settings of its own', { body: ask('"max_tokens":1,"extra_body":{"max_tokens":100000}') }],
  ['a bound that is a text', { body: ask('"max_tokens":"100000"') }],
  [
    'one of many answers',
    { path: 'completions', body: '{"model":"gpt-4o","prompt":"x","max_tokens":1000,"best_of":1,"n":100}' },
  ],
  [
    'many prompts',
    { path: 'completions', body: `{"model":"gpt-4o","max_tokens":1000,"prompt":[${'"x",'.repeat(99)}"x"]}` },
  ],
  ['a dearer model in the second place', { body: ask('"model":"gpt-4o-mini","max_tokens":10000,"models":["gpt-4o"]') }],
  ['a product that leaves all bounds', { body: ask('"max_tokens":1000000,"n":1000000') }],
];

/** What cannot be read as the worst of servers reads it, or priced. */
const unreadable: [string, Attack][] = [
  ['a gzip body', { body: gzipSync(large), headers: { 'content-encoding': 'gzip' } }],
  ['a gzip body that says nothing of it', { body: gzipSync(large) }],
  ['a mark of byte order', { body: `\ufeff${large}` }],
  ['UTF-16', { body: Buffer.from(large, 'utf16le') }],
  ['a NUL behind it', { body: `${large}\0` }],
  ['an alias that the answer resolves', { body: large.replace('gpt-4o', 'our-own-alias') }],
  [
    'a tier without a price by a header',
    { body: ask('"max_tokens":1'), headers: { 'x-vertex-ai-llm-shared-request-type': 'dedicated' } },
  ],
  ['a part of a token', { body: ask('"max_tokens":0.4') }],
  ['10,500 members', { body: `{${'"x":1,'.repeat(10_500)}${large.slice(1)}` }],
  ['10,500 members in 1 MB', { body: `{"y":"${'y'.repeat(1_048_576)}",${'"x":1,'.repeat(10_500)}${large.slice(1)}` }],
  [
    'tools that the provider runs',
    {
      path: 'responses',
      body: '{"model":"gpt-4o","input":"x","max_output_tokens":1,"tools":[{"type":"code_interpreter"}]}',
    },
  ],
  ['a batch', { path: 'batches', body: '{"input_file_id":"file-1"}' }],
];

describe('one call of more than a cap of 0.05 USD does not pass it', () => {
  test.each([...competing, ...unreadable])('BUDGET=strict: %s', async (_what, attack) => {
    const agentName = await makeAgent(strictUrl, cap);
    const { status, error } = await send(strictUrl, agentName, attack);
    expect(`${status} ${error}`).toMatch(/^(?:400 the cost cannot be bounded: .+|429 daily budget exceeded: .+)$/);
    expect(provider.bills.get(agentName) ?? 0).toBe(0);
  });

  test.each(competing)('by default: %s', async (_what, attack) => {
    const agentName = await makeAgent(budgets.urls[0] ?? '', cap);
    expect(await send(budgets.urls[0] ?? '', agentName, attack)).toEqual({
      status: 429,
      error: expect.stringMatching(/^daily budget exceeded: cap 0\.05 USD, spent 0, this request may cost [\d.]+/),
    });
    expect(provider.bills.get(agentName) ?? 0).toBe(0);
  });
});

test('forty at once, each of which could cost 1.50, spend nothing of a cap of 0.50 in either mode', async () => {
  for (const url of [strictUrl, budgets.urls[0] ?? '']) {
    const agentName = await makeAgent(url, 500_000_000);
    const attack = { body: ask('"max_completion_tokens":1,"max_tokens":100000') };
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(url, agentName, attack)));
    expect(answers.filter(({ status }) => status !== 429)).toEqual([]);
    expect(provider.bills.get(agentName) ?? 0).toBe(0);
  }
});

test('without a cap nothing is refused for what it may cost, and a call that has a bound is served under one', async () => {
  const agentName = await makeAgent(strictUrl, 500_000_000);
  expect(await send(strictUrl, agentName, { body: ask('"max_tokens":100') })).toEqual({ status: 200, error: null });
  await budgets.setAgentCap(agentName, 1, true);
  for (const [, attack] of unreadable) expect((await send(strictUrl, agentName, attack)).status).toBe(200);
});

test('BUDGET=strict: while Redis is away requests with a cap get 503, those without pass, and then it goes on', async () => {
  const agentName = 'spender';
  await using budgets = await startBudgetSystem(answerAsReserved(1, 50), { environment: { BUDGET: 'strict' } });
  await budgets.setDefaultCap(cap);
  await budgets.send({ agentName });
  await budgets.settle();
  await budgets.setDefaultCap(null);
  await budgets.send({ agentName: 'uncapped' });
  await budgets.system.stack.redis.stop();
  const during = await budgets.sendMany(10, () => ({ agentName }));
  expect(countResults(during)).toEqual({ '503 budget unavailable': 10 });
  for (const { retryAfter, headers } of during)
    expect([retryAfter, headers['x-should-retry']]).toEqual(['1', undefined]);
  expect(countResults(await budgets.sendMany(10, () => ({ agentName: 'uncapped' })))).toEqual({ 200: 10 });
  await budgets.system.stack.redis.start();
  await waitFor('capped requests to pass again', async () => (await budgets.send({ agentName })).status === 200);
});
