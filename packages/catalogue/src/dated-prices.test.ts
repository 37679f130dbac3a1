import { expect, test } from 'vitest';
import { createPriceUsage } from './charge.ts';
import { makeUsage } from './figures.ts';

const priceUsage = createPriceUsage();
const M = 1_000_000;

/** The cost in USD, by hand, of a million tokens that are read from a cache, and of one that is written. */
test.each([
  ['2026-11-27T00:59', 'deepseek-flash', 0.003 + 0.6],
  ['2026-11-27T01:00', 'deepseek-flash', 0.006 + 1.2],
  ['2026-11-27T03:59', 'deepseek-v4-flash', 0.006 + 1.2],
  ['2026-11-27T04:00', 'deepseek-v4-flash', 0.003 + 0.6],
  ['2026-11-27T06:00', 'deepseek-chat', 0.006 + 1.2],
  ['2026-11-27T10:00', 'deepseek-chat', 0.003 + 0.6],
  ['2026-11-27T09:59', 'deepseek-v4-pro', 0.044 + 3.96],
  ['2026-11-28T09:59', 'deepseek-v4-pro', 0.022 + 1.98],
  ['2026-11-29T09:59', 'deepseek-v4-pro', 0.022 + 1.98],
  ['2026-11-30T01:00', 'deepseek-v4-pro', 0.044 + 3.96],
])('at %s UTC %s costs %d', (minute, model, usd) => {
  const usage = makeUsage({ promptTokens: M, cacheReadTokens: M, completionTokens: M });
  const server = { provider: 'deepseek', api: 'openai', baseUrl: 'https://api.deepseek.com' } as const;
  const { costNanoUsd } = priceUsage({ ...server, model, usage, at: new Date(`${minute}Z`) });
  expect(costNanoUsd).toBe(Math.round(usd * 1e9));
});

test('ultrafast costs six times the list, caches too', () => {
  const usage = makeUsage({
    promptTokens: 3_000,
    cacheReadTokens: 1_000,
    cacheWriteTokens: 1_000,
    completionTokens: 1_000,
  });
  const openai = { provider: 'openai', api: 'openai', baseUrl: 'https://api.openai.com' } as const;
  const call = { ...openai, model: 'gpt-6-astra', usage, at: new Date('2026-11-27') };
  expect(priceUsage({ ...call, serviceTier: 'ultrafast' }).costNanoUsd).toBe(
    Math.round((0.06 + 0.006 + 0.075 + 0.3) * 1e9),
  );
});
