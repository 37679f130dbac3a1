import { makeUsage } from '@agp/catalogue';
import { expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { gemini } from './operations.ts';

const batch = gemini.match('/v1beta/batches/abc', 'GET') as Operation;

const answer = (modelVersion: string | undefined, promptTokenCount: number) => ({
  response: {
    modelVersion,
    candidates: [{ content: { parts: [{ text: `${promptTokenCount}` }] } }],
    usageMetadata: { promptTokenCount, candidatesTokenCount: 1 },
  },
  metadata: { key: 'k' },
});
const items = [answer('gemini-2.5-flash-001', 5), answer(undefined, 7), { error: { code: 13 } }];
const inlined = { inlinedResponses: { inlinedResponses: items } };
const metadata = { model: 'models/gemini-2.5-flash', state: 'BATCH_STATE_SUCCEEDED' };

test.each([
  ['its result', { name: 'batches/abc', done: true, metadata, response: inlined }],
  ['its metadata', { name: 'batches/abc', metadata: { ...metadata, output: inlined } }],
])('a batch that is done is billed once by its id, half the price, call by call: in %s', (_, body) => {
  const reading = batch.readAnswer(body);
  expect(batch.billedOnce?.('/v1beta/batches/abc')).toBe('abc');
  expect(reading.calls).toEqual([
    { model: 'gemini-2.5-flash-001', usage: makeUsage({ promptTokens: 5, completionTokens: 1 }) },
    { model: 'gemini-2.5-flash', usage: makeUsage({ promptTokens: 7, completionTokens: 1 }) },
  ]);
  expect(reading.usage).toEqual(makeUsage({ promptTokens: 12, completionTokens: 2 }));
  expect(reading).toMatchObject({ model: 'gemini-2.5-flash', serviceTier: 'batch' });
  expect(reading.outputText().parts).toEqual(['5', '7']);
});

test('a batch that still runs reports nothing', () => {
  const body = { name: 'batches/abc', metadata: { ...metadata, state: 'BATCH_STATE_RUNNING' } };
  const reading = batch.readAnswer(body);
  expect(reading.usage).toBeNull();
  expect(reading.calls).toBeUndefined();
  for (const odd of [null, [], 'x', { response: [] }, { response: { inlinedResponses: [1] } }]) {
    expect(batch.readAnswer(odd).usage).toBeNull();
  }
});

test('a prompt of a batch that was blocked is not billed', () => {
  const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9 } };
  const responses = [{ response: blocked }, answer(undefined, 7)];
  const reading = batch.readAnswer({ metadata, response: { inlinedResponses: { inlinedResponses: responses } } });
  expect(reading.usage).toEqual(makeUsage({ promptTokens: 7, completionTokens: 1 }));
});
