import { expect, test } from 'vitest';
import { lenient, measure } from '../../test/measure-call.ts';
import { makeHead, openMetering } from '../../test/open-metering.ts';

const video = { instances: [{ prompt: 'A cat' }] };
const operation = { name: 'models/veo/operations/1' };
const models = '/v1beta/models';
const vertex = '/v1/projects/p/locations/l/publishers/google/models';
const cent = 10_000_000;
const picture = { mimeType: 'image/png', bytesBase64Encoded: 'AAAA' };
const cache = {
  name: 'cachedContents/c',
  model: 'models/gemini-2.5-flash',
  createTime: '2026-11-25T10:00:00Z',
  updateTime: '2026-11-25T10:00:00Z',
  expireTime: '2026-11-25T11:30:00Z',
  usageMetadata: { totalTokenCount: 100_000 },
};
const sora = { model: 'sora-2', seconds: '4', size: '720x1280', status: 'queued' };

interface Job {
  provider?: string;
  path: string;
  body: object;
  answer: object;
}

/** At the public price lists of November 2026, in cents. */
test.each<[string, Job, number, object?]>([
  ['Veo', { path: `${models}/veo-3.1-generate-preview:predictLongRunning`, body: video, answer: operation }, 8 * 40],
  [
    'Veo, two of six seconds in 4k',
    {
      path: `${models}/veo-3.1-generate-preview:predictLongRunning`,
      body: { ...video, parameters: { durationSeconds: '6', sampleCount: 2, resolution: '4k' } },
      answer: operation,
    },
    2 * 6 * 60,
    { priceVersion: expect.stringMatching(/, 4k$/) },
  ],
  [
    'Veo at Vertex AI',
    {
      path: `${vertex}/veo-3.1-fast-generate-001:predictLongRunning`,
      body: { ...video, parameters: { durationSeconds: 4, resolution: '1080p' } },
      answer: operation,
    },
    4 * 12,
  ],
  [
    'Imagen, one picture filtered',
    {
      path: `${models}/imagen-4.0-generate-001:predict`,
      body: { ...video, parameters: { sampleCount: 3 } },
      answer: { predictions: [picture, picture, { raiFilteredReason: 'no' }] },
    },
    2 * 4,
    { usageSource: 'provider' },
  ],
  [
    'Imagen, all filtered',
    {
      path: `${models}/imagen-4.0-generate-001:predict`,
      body: video,
      answer: { predictions: [{ raiFilteredReason: 'no' }] },
    },
    0,
    { usageSource: 'none' },
  ],
  [
    'Imagen, of which nothing is readable: four pictures',
    { path: `${models}/imagen-4.0-ultra-generate-001:predict`, body: video, answer: {} },
    4 * 6,
  ],
  [
    "Vertex AI's embeddings",
    {
      path: `${vertex}/gemini-embedding-001:predict`,
      body: { instances: [{ content: 'Hi' }] },
      answer: { predictions: [{ embeddings: { values: [], statistics: { token_count: 1_000_000 } } }] },
    },
    15,
    { promptTokens: 1_000_000 },
  ],
  [
    'a video of OpenAI',
    { provider: 'openai', path: '/v1/videos', body: { model: 'sora-2', prompt: 'x' }, answer: sora },
    40,
    { usageSource: 'provider' },
  ],
  [
    'a large one, asked for by a form',
    {
      provider: 'openai',
      path: '/v1/videos',
      body: Buffer.from(
        ['model\r\n\r\n=sora-2-pro', 'seconds\r\n\r\n=12', 'size\r\n\r\n=1792x1024']
          .map((field) => field.split('\r\n\r\n='))
          .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
          .join('')
          .concat('--b--\r\n'),
      ),
      answer: { id: 'video_1' },
    },
    12 * 50,
  ],
  [
    'a remix, whose answer alone names the model',
    {
      provider: 'openai',
      path: '/v1/videos/v/remix',
      body: { prompt: 'x' },
      answer: { ...sora, model: 'sora-2-pro', seconds: '8', size: '1024x1792' },
    },
    8 * 50,
  ],
  [
    "Azure's jobs",
    {
      provider: 'azure',
      path: '/openai/v1/video/generations/jobs',
      body: { model: 'sora-2', n_seconds: 5, n_variants: 2, width: 1280, height: 720 },
      answer: { id: 'j', status: 'queued' },
    },
    2 * 5 * 10,
  ],
  [
    'a failed one',
    { provider: 'openai', path: '/v1/videos', body: { model: 'sora-2' }, answer: { ...sora, status: 'failed' } },
    0,
  ],
])('%s costs so many cents', async (_, { provider = 'gemini', path, body, answer }, cents, more = {}) => {
  const measured = await measure(path, body, { body: answer }, lenient, provider);
  expect(measured).toMatchObject({ costNanoUsd: cents * cent, unpriced: [], ...more });
});

test('a cache costs its input, and what it keeps for how long', async () => {
  const body = { model: 'models/gemini-2.5-flash', contents: [], ttl: '5400s' };
  const made = await measure('/v1beta/cachedContents', body, { body: cache }, lenient, 'gemini');
  // 100,000 tokens at 0.3 USD a million, and 150,000 an hour at 1 USD a million.
  expect(made).toMatchObject({ costNanoUsd: 30_000_000 + 150_000_000, promptTokens: 100_000, usageSource: 'provider' });
  const longer = { ...cache, updateTime: '2026-11-25T11:00:00Z', expireTime: '2026-11-25T13:00:00Z' };
  const kept = await measure('/v1beta/cachedContents/c', { ttl: '7200s' }, { body: longer }, lenient, 'gemini', {
    method: 'PATCH',
  });
  expect(kept).toMatchObject({ costNanoUsd: 200_000_000, promptTokens: 0 });
});

const speech = { contentType: 'audio/mpeg', body: 'sound' };
const drawing = { body: { created: 1, data: [{ b64_json: 'AAAA' }] } };

test.each<[string, string, string, object, { contentType?: string; body: object | string }]>([
  ['a picture of a deployment', 'azure', '/openai/deployments/mine/images/generations', { prompt: 'x', n: 2 }, drawing],
  ['speech of a deployment', 'azure', '/openai/deployments/mine/audio/speech', { input: 'x', voice: 'v' }, speech],
  [
    'a transcript of a deployment',
    'azure',
    '/openai/deployments/mine/audio/transcriptions',
    Buffer.from('--b--\r\n'),
    { body: { text: 'Hi', duration: 9 } },
  ],
  ['a video of a deployment', 'azure', '/openai/deployments/mine/videos', { prompt: 'x' }, { body: { seconds: '4' } }],
  ['a video', 'gemini', `${models}/mine:predictLongRunning`, video, { body: operation }],
  ['a picture', 'gemini', `${models}/mine:predict`, video, { body: { predictions: [picture] } }],
  ['a call of an endpoint', 'gemini', '/v1/projects/p/locations/l/endpoints/mine:predict', video, { body: {} }],
  [
    'an agent',
    'gemini',
    '/v1beta/interactions',
    { agent: 'mine', input: 'Hi' },
    { body: { id: 'i', agent: 'mine', status: 'completed', usage: { total_input_tokens: 9, total_output_tokens: 9 } } },
  ],
])('%s without a price is named, and costs the fixed amount under a cap', async (_, provider, path, body, answer) => {
  const capped = await measure(path, body, answer, lenient, provider);
  expect(capped).toMatchObject({ costNanoUsd: 10_000_000, unpriced: ['mine'], requestedModel: 'mine' });
  expect(capped.reserved).toBeGreaterThanOrEqual(10_000_000);
  const free = await measure(path, body, answer, lenient, provider, { isCapped: false });
  expect(free).toMatchObject({ costNanoUsd: 0, unpriced: ['mine'] });
});

test('what a deployment says of its own model prices it', async () => {
  const answer = { body: { ...drawing.body, model: 'gpt-image-1', usage: { input_tokens: 10, output_tokens: 100 } } };
  const path = '/openai/deployments/mine/images/generations';
  expect(await measure(path, { prompt: 'x' }, answer, lenient, 'openai')).toMatchObject({
    // 5 and 40 USD a million.
    costNanoUsd: 10 * 5_000 + 100 * 40_000,
    model: 'gpt-image-1',
    unpriced: [],
  });
});

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
