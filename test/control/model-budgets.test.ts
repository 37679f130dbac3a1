import type { Handler } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBudget } from '../prove/stories/overlapping-budgets.ts';
import { type BudgetSystem, startBudgetSystem } from './support/budget-system.ts';
import { answerAsReserved, pricedModel } from './support/send-calls.ts';

/** A gateway, whose aliases say in `metadata` what answers them. */
const gateway: Handler = async (received, index) => {
  const { model, metadata } = JSON.parse(received.body.toString() || '{}') as {
    model?: string;
    metadata?: { answered: string };
  };
  const reply = await answerAsReserved()(received, index);
  if (metadata === undefined) return reply;
  return { ...reply, body: JSON.parse(JSON.stringify(reply.body).replaceAll(`"${model}"`, `"${metadata.answered}"`)) };
};

let budgets: BudgetSystem;
beforeAll(async () => {
  budgets = await startBudgetSystem(gateway, { proxies: 1 });
  const match = { agents: ['spender'] };
  await makeBudget(budgets, {
    name: 'models',
    match: { ...match, models: [pricedModel] },
    amount: 1e-9,
    window: 'day',
  });
  await makeBudget(budgets, { name: 'batches', match: { agents: ['batcher'] }, amount: 0.05, window: 'day' });
});
afterAll(() => budgets?.[Symbol.asyncDispose]());

const ask = async (path: string, body: object, headers: Record<string, string> = {}, agent = 'spender') => {
  const answer = await fetch(`${budgets.urls[0]}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agent, ...headers },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return [answer.status, answer.headers.get('x-budget-name')];
};
const call = (model: string, more: object = {}) => ({ model, max_tokens: 10, messages: [], ...more });
const chat = 'openai/v1/chat/completions';

test.each([
  ['the path', `openai/v1/engines/${pricedModel}/chat/completions`, call('gpt-5-nano'), {}],
  ['what stands before it', 'openai/x/v1/chat/completions', call('gpt-5-nano'), {}],
  ['the query', `${chat}?model=${pricedModel}`, call('gpt-5-nano'), {}],
  ['a name with a space', chat, call(` ${pricedModel}`), {}],
  [
    'a member that nobody knows',
    chat,
    call('gpt-5-nano', { providerOptions: { gateway: { models: [pricedModel] } } }),
    {},
  ],
  ['a header', chat, call('gpt-5-nano'), { 'x-portkey-config': 'pc-1' }],
])('a budget of a model counts a call that may name it in %s', async (_, path, body, headers) => {
  expect(await ask(path, body, headers)).toEqual([429, 'models']);
});

test('a call that names another model alone passes', async () => {
  expect(await ask(chat, call('gpt-5-nano'))).toEqual([200, null]);
});

test('an alias that was answered by the model of a budget counts in it from the next call on', async () => {
  const alias = { ...call('house-default'), metadata: { answered: pricedModel } };
  expect((await ask(chat, alias))[0]).toBe(200);
  expect(await ask(chat, alias)).toEqual([429, 'models']);
});

test('a batch that may cost more than is left is refused', async () => {
  const opus = { model: 'claude-opus-4-7', max_tokens: 128_000, messages: [] };
  const requests = Array.from({ length: 100 }, (_, at) => ({ custom_id: `c${at}`, params: opus }));
  expect(await ask('anthropic/v1/messages/batches', { requests }, {}, 'batcher')).toEqual([429, 'batches']);
});
