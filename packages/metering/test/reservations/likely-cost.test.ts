import { describe, expect, test } from 'vitest';
import { makeHead, openMetering } from '../open-metering.ts';

const metering = openMetering();
const caps = { isCapped: false, mayRefuse: false };

/** What a POST is likely to cost, in USD; null if that cannot be read. */
function find(id: string, path: string, body: object | string, contentEncoding = '') {
  const head = makeHead(id, path);
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const form = { contentType: 'application/json', contentEncoding, decoded: null };
  const inspected = head.operation && metering.inspect(head.operation, head, bytes, form, caps);
  const nano = metering.findLikelyCost(head, inspected, caps);
  return nano === null ? null : nano / 1e9;
}

const batches = '/v1/messages/batches';
const opus = { model: 'claude-opus-4-7', max_tokens: 128_000, messages: [] };
const inBatch = (params: object, count: number) => ({
  requests: Array.from({ length: count }, (_, index) => ({ custom_id: `c${index}`, params })),
});

describe('a batch', () => {
  test('of a thousand calls costs what they may cost, at the price of batches', () => {
    // 128,000 tokens of 25 USD a million are 3.20 USD, and half of that in a batch.
    expect(find('anthropic', batches, inBatch(opus, 1_000))).toBeCloseTo(1_600, 0);
  });

  test('costs the sum of unlike calls', () => {
    const [dear, cheap] = [
      { ...opus, speed: 'fast' },
      { ...opus, model: 'claude-haiku-4-5', max_tokens: 1_000 },
    ];
    const sum =
      (find('anthropic', batches, inBatch(dear, 1)) ?? 0) + (find('anthropic', batches, inBatch(cheap, 1)) ?? 0);
    const both = { requests: [...inBatch(dear, 1).requests, ...inBatch(cheap, 1).requests] };
    expect(find('anthropic', batches, both)).toBeCloseTo(sum, 3);
    expect(sum).toBeGreaterThan(9.6);
  });

  test('of Gemini is the sum of the calls within, each by its own settings', () => {
    const request = { contents: [], generationConfig: { maxOutputTokens: 10_000, candidateCount: 2 } };
    const requests = { requests: Array.from({ length: 50 }, () => ({ request })) };
    const path = '/v1beta/models/gemini-2.5-flash:batchGenerateContent';
    // A million tokens of 2.50 USD, at half.
    expect(find('gemini', path, { batch: { inputConfig: { requests } } })).toBeCloseTo(1.25, 2);
    expect(find('gemini', path, { batch: { inputConfig: { fileName: 'files/1' } } })).toBe(null);
  });

  test.each([
    ['of a file', 'openai', '/v1/batches', { input_file_id: 'file-1', endpoint: '/v1/chat/completions' }],
    ['without calls', 'anthropic', batches, { requests: [] }],
    ['that is no JSON', 'anthropic', batches, '{"requests":[{'],
    ['that names its calls twice', 'anthropic', batches, `{"requests":[],"requests":${JSON.stringify([opus])}}`],
    [
      'of very many unlike calls',
      'anthropic',
      batches,
      { requests: Array.from({ length: 1_001 }, (_, at) => ({ params: { ...opus, max_tokens: at + 1 } })) },
    ],
    ['at Vertex AI', 'gemini', '/v1/projects/p/locations/l/batchPredictionJobs', { model: 'm' }],
  ])('%s cannot be read', (_, id, path, body) => {
    expect(find(id, path, body)).toBe(null);
  });

  test('that is packed in an unknown way cannot be read', () => {
    expect(find('anthropic', batches, 'packed', 'gzip, gzip')).toBe(null);
  });
});

const chat = '/v1/chat/completions';
const gpt = { model: 'gpt-4o', messages: [] };

test('max_completion_tokens is a bound only where servers are known to enforce it, and each answer counts', () => {
  const [open, one] = [find('own', chat, gpt) ?? 0, find('openai', chat, { ...gpt, max_completion_tokens: 1 }) ?? 0];
  expect(find('own', chat, { ...gpt, max_completion_tokens: 1 })).toBeCloseTo(open, 4);
  expect(open).toBeGreaterThan(100 * one);
  for (const id of ['groq', 'xai', 'azure', 'openrouter'])
    expect(find(id, chat, { ...gpt, max_completion_tokens: 1, n: 128 })).toBeLessThan(0.02);
  expect(find('own', chat, { ...gpt, max_completion_tokens: 1, n: 128 }) ?? 0).toBeGreaterThan(127 * open);
  expect(find('own', chat, { ...gpt, max_tokens: 1 })).toBeLessThan(open / 100);
  // A larger one than the usual output raises it everywhere.
  expect(find('own', chat, { ...gpt, max_completion_tokens: 40_960 })).toBeGreaterThan(9 * open);
});
