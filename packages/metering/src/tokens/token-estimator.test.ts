import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { countTokens as countOlder } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import type { TextSource } from '../text-source.ts';
import { createTokenEstimator, type TokenEstimatorOptions } from './token-estimator.ts';
import { cutLongRuns } from './token-worker.ts';

const holder = { agentId: 'a', source: null };

/** Counts one text after another with an estimator of its own. */
async function count(
  texts: readonly string[],
  options: TokenEstimatorOptions = {},
  model = 'gpt-4o',
): Promise<number[]> {
  const estimator = createTokenEstimator({ timeoutMs: 30_000, ...options });
  try {
    return await Promise.all(texts.map((text) => estimator.countTokens(asSource(text), model, holder)));
  } finally {
    await estimator.stop();
  }
}

const asSource = (text: string): TextSource => ({ parts: [text], whole: true });

const prose = 'The quick brown fox jumps over the lazy dog, and Größe zählt: 12,345 times.\n';

test('texts are counted by the tokenizer of the model', async () => {
  const texts = [prose, '', 'a', 'const x = { y: [1, 2] };', 'Привет, мир', '<|endoftext|>'];
  const plain = { disallowedSpecial: new Set<string>() };
  expect(await count(texts)).toEqual(texts.map((text) => countTokens(text, plain)));
  expect(await count([prose.repeat(3)], {}, 'gpt-3.5-turbo')).toEqual([countOlder(prose.repeat(3))]);
});

test('a text beyond the bound is taken to be like pieces from all over it', async () => {
  const text = prose.repeat(2_000);
  const [tokens = 0] = await count([text], { maxCounted: 20_000 });
  expect(Math.abs(tokens / countTokens(text) - 1)).toBeLessThan(0.02);
});

test('a long text is not cheap for cheap ends', async () => {
  const ends = ' '.repeat(300_000);
  const text = `${ends}${prose.repeat(5_000)}${ends}`;
  const [tokens = 0] = await count([text]);
  expect(tokens / countTokens(prose.repeat(5_000))).toBeGreaterThan(0.75);
});

test('a run that no tokenizer likes is counted in pieces, without waiting long', async () => {
  const [letters = 0, spaces = 0] = await count(['a'.repeat(200_000), ' '.repeat(200_000)]);
  expect(letters).toBeGreaterThan(10_000);
  expect(letters).toBeLessThan(100_000);
  expect(spaces).toBeGreaterThan(100);
});

test('a count that takes too long, or comes when too many wait, is a quarter of the characters', async () => {
  const text = prose.repeat(5_000);
  expect(await count([text], { timeoutMs: 1 })).toEqual([text.length / 4]);
  const counts = await count([prose, prose, prose], { maxPending: 4 });
  expect(counts).toEqual([countTokens(prose), prose.length / 4, prose.length / 4]);
});

test('after a worker was given up the next count has a new one', async () => {
  const estimator = createTokenEstimator({ timeoutMs: 1 });
  // So long that no machine counts it before the timer fires.
  const text = prose.repeat(5_000);
  expect(await estimator.countTokens(asSource(text), '', holder)).toBe(text.length / 4);
  expect(await estimator.countTokens(asSource(text), '', holder)).toBe(text.length / 4);
  await estimator.stop();
  expect(await estimator.countTokens(asSource(text), '', holder)).toBe(text.length / 4);
});

test('the worker does not keep the process alive', () => {
  const script = `import { createTokenEstimator } from ${JSON.stringify(import.meta.resolve('./token-estimator.ts'))};
    console.log(await createTokenEstimator({ timeoutMs: 20_000 }).countTokens({ parts: ['one two three'], whole: true }, 'gpt-4o', { agentId: 'a', source: null }));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', timeout: 30_000 });
  expect(run).toMatchObject({ status: 0, stdout: '3\n' });
});

test('cut pieces are the text, and no run in them is long', () => {
  const run = fc.tuple(fc.constantFrom('a', ' ', '\n', '.', '界'), fc.nat(1_300)).map(([unit, n]) => unit.repeat(n));
  fc.assert(
    fc.property(fc.array(run), (runs) => {
      const text = runs.join('');
      const pieces = cutLongRuns(text);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) expect(piece).not.toMatch(/\S{501}|\s{501}/);
    }),
  );
});
