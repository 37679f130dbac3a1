import { expect, test } from 'vitest';
import { priceTiers, readServiceTiers } from './tiers.ts';

const at = new Date('2026-11-27');

test.each([null, undefined, '', 'default', 'DEFAULT', 'standard', 'on_demand', 'auto'])(
  '%s is the standard tier',
  (given) => {
    expect(readServiceTiers(given)).toEqual([]);
  },
);

test.each([
  ['scale', 'scale'],
  ['Turbo', 'turbo'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['a b\n', 'unknown'],
  ['x'.repeat(1_000), 'unknown'],
])('a tier named %j is recorded as %s, and charged the standard price', (given, name) => {
  expect(readServiceTiers(given)).toEqual([name]);
  for (const vendor of ['openai', '__proto__', 'nobody', null]) {
    const priced = { factor: [1n, 1n], mark: `, ${name} at the standard price` };
    expect(priceTiers([name], vendor, 'gpt-5', at)).toEqual(priced);
  }
});

test.each(['flex', 'priority', 'reserved', 'optimized'])(
  'nobody says what %s costs at Bedrock, which the record says',
  (tier) => {
    const mark = `, ${tier} at the standard price`;
    expect(priceTiers([tier], 'aws', 'global.anthropic.claude-opus-5', at)).toEqual({ factor: [1n, 1n], mark });
  },
);

test('only providers that say so charge half', () => {
  const half = (tier: string) =>
    ['openai', 'azure', 'anthropic', 'google', 'groq', 'mistral', 'x-ai', 'deepseek', 'openrouter', null].filter(
      (vendor) => priceTiers([tier], vendor, 'm', at).mark.endsWith(' at half'),
    );
  expect(half('batch')).toEqual(['openai', 'azure', 'anthropic', 'google', 'groq', 'mistral']);
  expect(half('flex')).toEqual(['openai', 'google']);
  expect(half('priority')).toEqual([]);
});

/** USD a million tokens of input, of the tier and of the list, by the vendors' own pages. */
test.each([
  ['openai', 'gpt-5.5', 12.5, 5],
  ['openai', 'gpt-5-mini-2025-08-07', 0.45, 0.25],
  ['openai', 'gpt-4.1', 3.5, 2],
  ['openai', 'gpt-4o-2024-11-20', 4.25, 2.5],
  ['openai', 'o4-mini', 2, 1.1],
  ['google', 'gemini-2.5-pro', 2.25, 1.25],
])('the priority tier of %s %s costs %d instead of %d', (vendor, model, dear, listed) => {
  const [times, of] = priceTiers(['priority'], vendor, model, at).factor;
  expect(Number(times) / Number(of)).toBeCloseTo(dear / listed, 10);
});

test('tiers multiply, and the record says each', () => {
  const tiers = readServiceTiers('FAST+geo_us+fast+standard');
  const mark = ', fast at 6 times, geo_us at 1.1 times';
  expect(priceTiers(tiers, 'anthropic', 'claude-opus-4-7', at)).toEqual({ factor: [66n, 10n], mark });
  expect(priceTiers(['geo_eu'], 'anthropic', 'claude-opus-5', at).mark).toBe(', geo_eu at the standard price');
});
