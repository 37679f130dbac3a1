import * as wire from '@agp/demo-provider/wire';
import {
  answerConversation,
  answerFault,
  cannedAnswer,
  type FakeReply,
  faultHeader,
  type Handler,
} from '@agp/testing/providers';
import { figures } from '../sdks/cases.ts';
import { models } from '../sdks/conversation.ts';

const converse = answerConversation(figures);
const fail = answerFault();

/** What each batch's results say. */
export const batchText = 'The answer is 42.';

const batched = (model: string) => ({ ...cannedAnswer, ...figures, model });
const openaiUsage = { input_tokens: 500_000, output_tokens: 100_000, total_tokens: 600_000 };

let made = 0;

/** Files and batches of the three APIs: a batch is done when it is first looked at. */
const jobs: [method: string, path: RegExp, reply: (id: string, host: string) => FakeReply][] = [
  ['POST', /^\/v1\/files$/, () => ({ body: { id: 'file_in', object: 'file', purpose: 'batch' } })],
  ['POST', /^\/v1\/batches$/, () => ({ body: { id: `batch_${++made}`, object: 'batch', status: 'in_progress' } })],
  [
    'GET',
    /^\/v1\/batches\/(batch_\d+)$/,
    (id) => ({
      body: {
        id,
        object: 'batch',
        model: 'gpt-4o-2024-08-06',
        status: 'completed',
        output_file_id: 'file_out',
        usage: openaiUsage,
        request_counts: { total: 900, completed: 900, failed: 0 },
      },
    }),
  ],
  ['GET', /^\/v1\/files\/file_out\/content$/, () => ({ body: JSON.stringify({ text: batchText }) })],
  [
    'POST',
    /^\/v1\/messages\/batches$/,
    () => ({ body: { id: `msgbatch_${++made}`, processing_status: 'in_progress' } }),
  ],
  [
    'GET',
    /^\/v1\/messages\/batches\/(msgbatch_\d+)$/,
    (id, host) => ({
      body: {
        id,
        processing_status: 'ended',
        results_url: `http://${host}/v1/messages/batches/${id}/results`,
      },
    }),
  ],
  [
    'GET',
    /^\/v1\/messages\/batches\/msgbatch_\d+\/results$/,
    () => ({
      headers: { 'content-type': 'application/x-jsonl' },
      body: `${JSON.stringify({
        custom_id: '1',
        result: { type: 'succeeded', message: wire.writeMessage(batched(models.anthropic)) },
      })}\n`,
    }),
  ],
  [
    'POST',
    /:batchGenerateContent$/,
    () => ({ body: { name: `batches/${++made}`, metadata: { state: 'BATCH_STATE_PENDING' } } }),
  ],
  [
    'GET',
    /^\/v1(?:beta)?\/batches\/(\d+)$/,
    (id) => ({
      body: {
        name: `batches/${id}`,
        done: true,
        metadata: {
          model: `models/${models.gemini}`,
          state: 'BATCH_STATE_SUCCEEDED',
          output: { inlinedResponses: { inlinedResponses: [{ response: wire.writeContent(batched(models.gemini)) }] } },
        },
      },
    }),
  ],
];

/** The simulated provider of the clients: conversations, batches, and faults where asked for. */
export const answerClient: Handler = (request, index) => {
  const path = request.target.split('?')[0] ?? '';
  for (const [method, pattern, reply] of jobs) {
    const found = method === request.method && pattern.exec(path);
    if (found) return reply(found[1] ?? '', request.headers.host ?? '');
  }
  if (request.method === 'GET') return { body: { object: 'list', data: [] } };
  return request.headers[faultHeader] === undefined ? converse(request, index) : fail(request, index);
};
