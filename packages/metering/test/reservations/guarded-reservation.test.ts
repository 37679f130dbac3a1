import { expect, test } from 'vitest';
import { makeReserve, type ReservedRequest } from './make-reserve.ts';

const prices = [
  { provider: 'bedrock', model: 'own', prices: { input_mtok: 1, output_mtok: 1 } },
  // This guardrail only looks for topics, and its units cost 1 USD each.
  { provider: 'bedrock', model: 'global.*', prices: { guardrail_topics_kcount: 1_000, guardrail_content_kcount: 0 } },
];
const reserve = { available: makeReserve('available'), strict: makeReserve('strict') };
const priced = { available: makeReserve('available', prices), strict: makeReserve('strict', prices) };

const path = '/model/global.anthropic.claude-sonnet-4-5-20250929-v1%3A0';
const headers = { 'x-amzn-bedrock-guardrailidentifier': 'abc', 'x-amzn-bedrock-guardrailversion': '1' };
const body = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 1_000, messages: [{ role: 'user', content: 'x' }] };
const chat = { model: 'openai.gpt-oss-120b-1:0', max_tokens: 1_000, messages: [{ role: 'user', content: 'x' }] };

/** What a guardrail adds, in nano-dollars. */
function addsTo(reserveOne: typeof reserve.strict, request: Omit<ReservedRequest, 'api'>): number {
  const plain = reserveOne({ ...request, api: 'bedrock' });
  return reserveOne({ ...request, api: 'bedrock', headers }) - plain;
}

/** A unit of all four policies, and 20 pictures. */
const [unit, pictures] = [500_000, 15_000_000];

test.each<[string, object, likely: number, most: number]>([
  [`${path}/invoke`, body, 1 + 4, 1 + 128],
  [`${path}/invoke`, { ...body, system: 'x'.repeat(2_000) }, 3 + 4, 3 + 128],
  // Each token may be a piece that is judged by itself.
  [`${path}/invoke-with-response-stream`, body, 1 + 4, 1 + 1_000],
  ['/openai/v1/chat/completions', chat, 1 + 4, 1 + 128],
  ['/openai/v1/chat/completions', { ...chat, stream: true }, 1 + 4, 1 + 1_000],
])('%s with a guardrail reserves its units: %#', (at, sent, likely, most) => {
  expect(addsTo(reserve.available, { path: at, body: sent })).toBe(likely * unit);
  expect(addsTo(reserve.strict, { path: at, body: sent })).toBe(most * unit + pictures);
});

test('Converse asks for it in its body, in whatever words', () => {
  const plain = { messages: [{ role: 'user', content: [{ text: 'x' }] }], inferenceConfig: { maxTokens: 1_000 } };
  for (const guardrailConfig of [{ guardrailIdentifier: 'abc', guardrailVersion: '1' }, { guardrailidentifier: 'abc' }])
    for (const [reserveOne, least] of [
      [reserve.available, 5 * unit],
      [reserve.strict, 129 * unit + pictures],
    ] as const) {
      const reserveBody = (sent: object) => reserveOne({ path: `${path}/converse`, api: 'bedrock', body: sent });
      expect(reserveBody({ ...plain, guardrailConfig }) - reserveBody(plain)).toBeGreaterThanOrEqual(least);
    }
});

test('units cost what PRICES_FILE says of them', () => {
  const topics = 1e9 + 200_000;
  expect(addsTo(priced.available, { path: `${path}/invoke`, body })).toBe(5 * topics);
  expect(addsTo(priced.strict, { path: `${path}/invoke`, body })).toBe(129 * topics + pictures);
});

test('what no guardrail of AWS takes reserves nothing for one', () => {
  expect(
    addsTo(reserve.strict, { path: '/anthropic/v1/messages', body: { ...body, model: 'claude-sonnet-4-5' } }),
  ).toBe(0);
});
