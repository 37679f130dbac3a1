import { expect, test } from 'vitest';
import { priceTier, readServiceTier } from './price-usage.ts';

test.each([null, undefined, '', 'default', 'DEFAULT', 'standard', 'on_demand', 'auto'])(
  '%s is the standard tier',
  (given) => {
    expect(readServiceTier(given)).toBeNull();
  },
);

test.each([
  ['priority', 'priority'],
  ['Turbo', 'turbo'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['a b\n', 'unknown'],
  ['x'.repeat(1_000), 'unknown'],
])('a tier named %j is recorded as %s, and charged the standard price', (given, name) => {
  expect(readServiceTier(given)).toBe(name);
  for (const vendor of ['openai', '__proto__', 'nobody', null]) {
    expect(priceTier(name, vendor)).toEqual({ half: false, mark: `, ${name} at the standard price` });
  }
});

test('only providers that say so charge half', () => {
  const half = (tier: string) =>
    ['openai', 'azure', 'anthropic', 'google', 'groq', 'mistral', 'x-ai', 'deepseek', 'openrouter', null].filter(
      (vendor) => priceTier(tier, vendor).half,
    );
  expect(half('batch')).toEqual(['openai', 'azure', 'anthropic', 'google', 'groq', 'mistral']);
  expect(half('flex')).toEqual(['openai', 'google']);
  expect(half('priority')).toEqual([]);
});
