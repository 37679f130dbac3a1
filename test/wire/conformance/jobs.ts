import { left, type Row, recordsOf, whole } from './cell.ts';
import { question, untilText } from './conversation.ts';
import { refusal } from './openai-errors.ts';

/** Work that goes on after its answer, or is billed by another unit than tokens. */
const batched = recordsOf('gpt-4o-2024-08-06', []);
const answered = recordsOf('gpt-4o-2024-08-06');
const filmed = recordsOf('sora-2-pro', []);
const gemini = (model: string) => ({ path: `/gemini/v1beta/models/${model}`, ...recordsOf(model, []) });
const [veo, imagen] = [gemini('veo-3.1-generate-preview'), gemini('imagen-4.0-generate-001')];
const cached = recordsOf('gemini-2.5-flash', []);

const usage = { input_tokens: 500_000, output_tokens: 100_000, total_tokens: 600_000 };
const batch = JSON.stringify({
  id: 'batch_1',
  model: 'gpt-4o-2024-08-06',
  status: 'completed',
  usage,
  request_counts: { total: 900, completed: 900, failed: 0 },
});
const response = JSON.stringify({
  id: 'resp_1',
  model: 'gpt-4o-2024-08-06',
  status: 'completed',
  background: true,
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'Write to ada@example.com.' }] }],
  usage: { input_tokens: 1_000, output_tokens: 6, total_tokens: 1_006 },
});
const video = { id: 'video_1', model: 'sora-2-pro', status: 'queued', seconds: '8', size: '1024x1792' };
const cache = {
  name: 'cachedContents/c',
  model: 'models/gemini-2.5-flash',
  createTime: '2026-11-25T10:00:00Z',
  updateTime: '2026-11-25T10:00:00Z',
  expireTime: '2026-11-25T12:00:00Z',
  usageMetadata: { totalTokenCount: 1_000 },
};
const picture = { mimeType: 'image/png', bytesBase64Encoded: 'A'.repeat(200) };
const instances = [{ prompt: question }];

export const jobRows: Row[] = [
  {
    api: 'OpenAI batch, at half of USD 2.50 and 10',
    stream: 'no',
    method: 'GET',
    path: '/openai/v1/batches/batch_{id}',
    cells: {
      complete: whole(batch, batched.told(500_000, 100_000, 1_125_000_000)),
      aborted: left(untilText(batch, 'batch_'), recordsOf('unknown', []).nothing({ pii_scan: 'none' })),
      error: whole(refusal, recordsOf('unknown', []).nothing({ http_status: 429 })),
    },
  },
  {
    api: 'OpenAI response in the background, fetched',
    stream: 'no',
    method: 'GET',
    path: '/openai/v1/responses/resp_{id}',
    cells: {
      complete: whole(response, answered.told(1_000, 6, 1_000 * 2_500 + 6 * 10_000)),
      error: whole(refusal, recordsOf('unknown', []).nothing({ http_status: 429 })),
    },
  },
  {
    api: 'OpenAI videos, USD 0.50 a second',
    stream: 'no',
    method: 'POST',
    path: '/openai/v1/videos',
    body: { model: 'sora-2-pro', prompt: question, seconds: '8', size: '1024x1792' },
    cells: {
      complete: whole(JSON.stringify(video), filmed.told(0, 0, 8 * 500_000_000)),
      error: whole(refusal, filmed.nothing({ http_status: 429 })),
    },
  },
  {
    api: 'Gemini predictLongRunning, USD 0.40 a second',
    stream: 'no',
    method: 'POST',
    path: `${veo.path}:predictLongRunning`,
    body: { instances, parameters: { durationSeconds: 4 } },
    cells: {
      complete: whole('{"name":"operations/1"}', veo.estimated(6, 0, 4 * 400_000_000)),
      error: whole(refusal, veo.nothing({ http_status: 429 })),
    },
  },
  {
    api: 'Gemini predict, USD 0.04 a picture',
    stream: 'no',
    method: 'POST',
    path: `${imagen.path}:predict`,
    body: { instances, parameters: { sampleCount: 2 } },
    cells: {
      complete: whole(JSON.stringify({ predictions: [picture, picture] }), imagen.told(0, 0, 2 * 40_000_000)),
      error: whole(refusal, imagen.nothing({ http_status: 429 })),
    },
  },
  {
    api: 'Gemini cached contents, USD 0.30, and 1 an hour',
    stream: 'no',
    method: 'POST',
    path: '/gemini/v1beta/cachedContents',
    body: { model: 'models/gemini-2.5-flash', contents: [{ parts: [{ text: question }] }], ttl: '7200s' },
    cells: {
      complete: whole(JSON.stringify(cache), cached.told(1_000, 0, 1_000 * 300 + 2_000 * 1_000)),
      error: whole(refusal, cached.nothing({ http_status: 429 })),
    },
  },
];
