import { expect, test } from 'vitest';
import { lenient, measure } from '../../test/measure-call.ts';
import { makeHead, openMetering } from '../../test/open-metering.ts';

const models = '/v1beta/models';
const vertex = '/v1/projects/p/locations/l/publishers/google/models';
const cent = 10_000_000;

test.each([
  ['openai', '/v1/batches', /a batch/],
  ['openai', '/v1/videos', /has no bound/],
  ['openai', '/async/chat/completions', /has no bound/],
  ['gemini', `${models}/m:predictLongRunning`, /has no bound/],
  ['gemini', `${models}/m:predict`, /has no bound/],
  ['gemini', `${models}/m:asyncBatchEmbedContent`, /a batch/],
  ['gemini', '/v1beta/cachedContents', /has no bound/],
  ['gemini', '/v1/projects/p/locations/l/batchPredictionJobs', /a batch/],
])('under a strict cap %s refuses %s', (provider, path, reason) => {
  const strict = openMetering({ isStrict: true });
  const caps = { isCapped: true, mayRefuse: true };
  const head = makeHead(provider, path);
  const form = { contentType: 'application/json', contentEncoding: '' };
  if (!head.operation) throw new Error('no operation');
  const body = strict.inspect(head.operation, head, Buffer.from('{"model":"gpt-4o"}'), form, caps);
  expect(() => strict.findReservation(head, body, caps)).toThrow(reason);
});

test.each([
  ['openai', 'GET', '/v1/batches/b'],
  ['openai', 'POST', '/v1/responses/r/cancel'],
  ['gemini', 'POST', '/v1beta/interactions/i/cancel'],
  ['gemini', 'POST', `${vertex}/m:fetchPredictOperation`],
])('under a strict cap %s looks, and cancels: %s %s', (provider, method, path) => {
  const head = makeHead(provider, path, { method, hasBody: false });
  const strict = openMetering({ isStrict: true });
  expect(strict.findReservation(head, null, { isCapped: true, mayRefuse: true })).toBe(0);
});

test.each([
  [{ instances: [{}, {}], parameters: {} }, 8],
  [{ instances: [{}, {}], parameters: { sampleCount: 1 } }, 2],
  [{ instances: [{}], parameters: { sampleCount: 2, sample_count: 4 } }, 4],
])('the pictures of %j are reserved, each', async (body, pictures) => {
  const { reserved } = await measure(
    `${models}/imagen-4.0-generate-001:predict`,
    body,
    { body: {} },
    lenient,
    'gemini',
  );
  expect(reserved).toBe(pictures * 4 * cent);
});
