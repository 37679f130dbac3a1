import { makeUsage } from '@agp/catalogue';
import { expect, test } from 'vitest';
import { matchOperation } from '../../match-operation.ts';

const usage = { input_tokens: 1_000_000, output_tokens: 100_000, total_tokens: 1_100_000 };
const batch = { id: 'batch_1', object: 'batch', model: 'gpt-4o-2024-08-06', endpoint: '/v1/chat/completions' };
const used = makeUsage({ promptTokens: 1_000_000, completionTokens: 100_000 });
const get = matchOperation('openai', 'GET', '/v1/batches/batch_1');

test.each<[string, object, { calls?: number; isUntold?: boolean; isOfImages?: boolean }]>([
  ['completed', { status: 'completed', usage }, { calls: 1 }],
  ['of pictures', { status: 'completed', endpoint: '/v1/images/generations', usage }, { calls: 1, isOfImages: true }],
  ['cancelled in part', { status: 'cancelled', usage }, { calls: 1 }],
  ['expired in part', { status: 'expired', usage }, { calls: 1 }],
  ['still running, with figures so far', { status: 'in_progress', usage }, {}],
  ['being cancelled', { status: 'cancelling', usage }, {}],
  ['not begun', { status: 'validating', usage: null }, {}],
  ['failed before it began', { status: 'failed', usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }, {}],
  ['without figures', { status: 'completed', request_counts: { completed: 3 } }, { isUntold: true }],
  ['of which nothing was served', { status: 'completed', request_counts: { completed: 0 } }, {}],
  ["Mistral's", { status: 'SUCCESS', succeeded_requests: 2, total_requests: 2 }, { isUntold: true }],
  [
    "Mistral's, with its results",
    { status: 'SUCCESS', outputs: [{ response: { body: { model: 'm', usage } } }, { error: {} }] },
    { calls: 1 },
  ],
  ["xAI's, running", { state: { num_pending: 1, num_success: 1 } }, {}],
  ["xAI's", { state: { num_pending: 0, num_success: 2 } }, { isUntold: true }],
])('a batch that is %s', (_, given, { calls = 0, isUntold, isOfImages }) => {
  const reading = get?.readAnswer({ ...batch, ...given });
  const expected = makeUsage({ ...used, outputImageTokens: isOfImages ? 100_000 : 0 });
  expect(reading?.usage).toEqual(calls > 0 ? expected : null);
  expect(reading?.calls?.length ?? 0).toBe(calls);
  expect(reading?.isUntold ?? false).toBe(isUntold ?? false);
  expect(reading?.serviceTier).toBe('batch');
});
