import { expect, test } from 'vitest';
import { lenient, measure, sse } from '../../test/measure-call.ts';

const tokens = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
const ofTokens = 1_250_000 + 1_000_000;
const noon = Date.UTC(2026, 10, 25, 12);

/** Calls whose claims are kept as in storage, and what the containers of each cost in USD. */
function openCalls(claims = new Set<string>()) {
  const claimBill = async (bill: string) => claims.size < claims.add(bill).size;
  return async (ids: string[], { minute = 0, memory_limit = '1g', isStream = false, claim = claimBill } = {}) => {
    const output = ids.map((container_id) => ({ type: 'code_interpreter_call', status: 'completed', container_id }));
    const tools = [{ type: 'code_interpreter', container: { type: 'auto', memory_limit } }];
    const body = { model: 'gpt-5', status: 'completed', output, tools, usage: tokens };
    const answer = isStream ? sse({ type: 'response.completed', response: body }) : { body };
    const given = { timestamp: noon + minute * 60_000, claimBill: claim };
    const { costNanoUsd } = await measure(
      '/v1/responses',
      { model: 'gpt-5', input: 'Hi' },
      answer,
      lenient,
      'openai',
      given,
    );
    return (costNanoUsd - ofTokens) / 1e9;
  };
}

test('a container that later answers use again costs once in 20 minutes', async () => {
  const call = openCalls();
  expect(await call(['a'], { memory_limit: '4g' })).toBe(0.12);
  expect(await call(['a', 'a'], { minute: 19 })).toBe(0);
  expect(await call(['a'], { minute: 19, isStream: true })).toBe(0);
  expect(await call(['a', 'b'], { minute: 19, memory_limit: '4g' })).toBe(0.12);
  expect(await call(['a'], { minute: 20 })).toBe(0.03);
});

test('it costs anew if storage does not say whether it is paid', async () => {
  const call = openCalls();
  const claim = () => Promise.reject(new Error('away'));
  for (let times = 0; times < 2; times++) expect(await call(['a'], { claim })).toBe(0.03);
});
