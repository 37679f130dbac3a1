import { makeUsage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import { findOperation, readStream } from '../../../test/find-operation.ts';

const generate = findOperation('/v1beta/models/m:streamGenerateContent', 'gemini');
const stream = (...frames: unknown[]) => readStream(generate, ...frames);

const content = (part: object, index = 0) => ({ candidates: [{ content: { parts: [part], role: 'model' }, index }] });
const frame = (text: string, usageMetadata?: object, finishReason?: string) => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, finishReason, index: 0 }],
  usageMetadata,
  modelVersion: 'gemini-2.5-flash',
});

describe('figures', () => {
  const first = { promptTokenCount: 9, totalTokenCount: 9 };
  const last = { promptTokenCount: 9, candidatesTokenCount: 6, thoughtsTokenCount: 21, totalTokenCount: 36 };
  const all = makeUsage({ promptTokens: 9, completionTokens: 27, reasoningTokens: 21 });

  test.each<[string, unknown[]]>([
    ['each frame counts all until then', [frame('a', first), frame('b', last, 'STOP')]],
    ['a last frame without figures', [frame('a', first), frame('b', last, 'STOP'), frame('')]],
    ['a last frame that names only the traffic', [frame('b', last, 'STOP'), frame('', { trafficType: 'ON_DEMAND' })]],
    ['figures after the end', [frame('b', first, 'STOP'), { usageMetadata: last }]],
    [
      'figures at the end alone, as Vertex AI gives them',
      [frame('a', { trafficType: 'ON_DEMAND' }), frame('b', last, 'STOP')],
    ],
  ])('%s', (_, frames) => {
    const reading = stream(...frames);
    expect(reading.usage).toEqual(all);
    expect(reading).toMatchObject({ model: 'gemini-2.5-flash', usageIsFinal: true, sawEnd: true, failed: false });
  });

  test('what was cached, told before the end alone', () => {
    const reading = stream(frame('a', { ...first, cachedContentTokenCount: 5 }), frame('b', last, 'STOP'));
    expect(reading.usage).toEqual({ ...all, cacheReadTokens: 5 });
  });

  test('input that the total alone tells', () => {
    const { promptTokenCount: _, ...rest } = last;
    expect(stream(frame('b', rest, 'STOP')).usage).toEqual(all);
  });

  test('cut before its end', () => {
    const reading = stream(frame('only this', { promptTokenCount: 9, candidatesTokenCount: 2 }));
    expect(reading).toMatchObject({ usageIsFinal: false, sawEnd: false, model: 'gemini-2.5-flash' });
    expect(reading.usage?.completionTokens).toBe(2);
  });

  test('searches are counted over all frames, each once', () => {
    const grounded = (...webSearchQueries: string[]) => ({
      modelVersion: 'gemini-3-flash-preview',
      candidates: [{ groundingMetadata: { webSearchQueries } }],
      usageMetadata: { promptTokenCount: 1 },
    });
    expect(stream(grounded('a', ''), grounded('a', 'b')).usage?.webSearches).toBe(2);
  });

  test('the tier', () => {
    expect(stream(frame('a', { promptTokenCount: 1, serviceTier: 'priority' })).serviceTier).toBe('priority');
  });
});

test.each<[string, unknown, boolean, boolean]>([
  ['a finish reason', frame('', undefined, 'MAX_TOKENS'), true, false],
  [
    'a refused prompt',
    { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9 } },
    true,
    false,
  ],
  ['an error', { error: { code: 503, message: 'no', status: 'UNAVAILABLE' } }, false, true],
  ['text that looks like both', frame('"error":{"code":503} "finishReason":"STOP"'), false, false],
  ['arguments that are called so', content({ functionCall: { args: { error: {}, finishReason: 'x' } } }), false, false],
])('the end: %s', (_, last, sawEnd, failed) => {
  expect(stream(frame('a'), last)).toMatchObject({ sawEnd, failed });
});

describe('text', () => {
  test('candidates, thoughts and calls are texts of their own', () => {
    const reading = stream(
      content({ text: 'H', thought: true }),
      content({ text: 'Grüße ' }),
      content({ text: 'm', thought: true }),
      content({ text: 'other' }, 1),
      content({ text: 'an alle' }),
      content({ functionCall: { name: 'get', args: { city: 'Rome' } } }),
    );
    expect(reading.outputText()).toEqual({ parts: ['Hm', 'Grüße an alle', 'other', 'get\ncity: Rome\n'], whole: true });
  });

  test('thoughts that are counted are not text to be counted again', () => {
    const thought = { ...content({ text: 'Hm', thought: true }), usageMetadata: { promptTokenCount: 9 } };
    expect(stream(thought, frame('a')).uncountedText).toBeUndefined();
    const counted = { ...thought, usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 21 } };
    expect(stream(counted, frame('a')).uncountedText?.()).toEqual({ parts: ['a'], whole: true });
  });

  test('arguments that come in pieces are joined', () => {
    const piece = (stringValue: string) =>
      content({ functionCall: { willContinue: true, partialArgs: [{ jsonPath: '$.city', stringValue }] } });
    expect(stream(piece('Ro'), piece('me')).outputText().parts).toEqual(['Rome']);
  });
});
