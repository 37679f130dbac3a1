import { expect, test } from 'vitest';
import { makeUsage } from './figures.ts';

test('seconds are rounded; an invalid length gives none', () => {
  const seconds = (given: unknown) => makeUsage({ inputAudioSeconds: given }).inputAudioSeconds;
  expect([8.49, 8.5, 0.4, 9].map(seconds)).toEqual([8, 9, 0, 9]);
  expect(['9', -1, Number.NaN, Number.POSITIVE_INFINITY, null, {}].map(seconds)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(Object.is(seconds(-0.2), -0)).toBe(false);
});

test('cached media without figures of its own is the cached input that does not fit the rest of the prompt', () => {
  const tokens = { promptTokens: 100, cacheReadTokens: 90 };
  expect(makeUsage({ ...tokens, inputAudioTokens: 30 }).cacheReadAudioTokens).toBe(20);
  expect(makeUsage({ ...tokens, inputImageTokens: 30 }).cacheReadImageTokens).toBe(20);
  expect(makeUsage({ ...tokens, inputVideoTokens: 30 }).inputVideoTokens).toBe(10);
  const video = makeUsage({ ...tokens, inputAudioTokens: 30, inputVideoTokens: 60, cacheReadAudioTokens: 30 });
  expect([video.cacheReadAudioTokens, video.inputVideoTokens]).toEqual([30, 10]);
  const told = makeUsage({
    ...tokens,
    cacheReadTokens: 1,
    inputAudioTokens: 99,
    inputImageTokens: 1,
    cacheReadImageTokens: 1,
  });
  expect([told.cacheReadAudioTokens, told.cacheReadImageTokens]).toEqual([0, 1]);
});

test('figures that no call comes near are bounded', () => {
  expect(makeUsage({ inputAudioSeconds: 1e9, outputImages: 1e9, inputCharacters: 1e10 })).toMatchObject({
    inputAudioSeconds: 10_000_000,
    outputImages: 100_000,
    inputCharacters: 0,
  });
});
