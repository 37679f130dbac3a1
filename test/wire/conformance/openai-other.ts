import { cut, left, type Row, recordsOf, whole } from './cell.ts';
import { olderEstimates, question, withoutFigures } from './conversation.ts';
import { refusal } from './openai-errors.ts';

const embedder = 'text-embedding-3-small';
const ofEmbedding = recordsOf(embedder, []);
const embedding = JSON.stringify({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.6, 0.8] }],
  model: embedder,
  usage: { prompt_tokens: 1_000, total_tokens: 1_000 },
});
/** USD 0.02 for a million tokens. */
const counted = ofEmbedding.estimated(olderEstimates.asked, 0, olderEstimates.asked * 20);
const partial = { ...counted, pii_scan: 'partial' } as const;

/** Token ids are no text, but names stand beside them; what was to come was not read. */
const unread = ofEmbedding.estimated(5, 0, 5 * 20, { pii_scan: 'partial' });

const ranking = JSON.stringify({
  model: embedder,
  results: [{ index: 0, relevance_score: 0.9 }],
  usage: { total_tokens: 1_000 },
});

const billed = (answer: object) => JSON.stringify({ ...answer, meta: { billed_units: { input_tokens: 1_000 } } });
const usage = {
  billed_units: { input_tokens: 1_000, output_tokens: 100 },
  tokens: { input_tokens: 1_500, output_tokens: 100 },
};
const ofCohere = recordsOf('gpt-5', []);
const saidByCohere = JSON.stringify({ message: { content: [{ type: 'text', text: 'Ferries.' }] }, usage });
const streamedByCohere = [
  { type: 'content-delta', delta: { message: { content: { text: 'Ferries.' } } } },
  { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } },
]
  .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
  .join('');

const reader = 'mistral-ocr-latest';
const ofReader = recordsOf(reader, []);
const pages = JSON.stringify({
  model: reader,
  pages: [{ index: 0, markdown: 'Ferries.' }],
  usage_info: { pages_processed: 3 },
});

const moderation = 'omni-moderation-latest';
const free = recordsOf(moderation);
const judgement = JSON.stringify({ id: 'modr-1', model: moderation, results: [{ flagged: false }] });

/** Embeddings and moderations of OpenAI: no one writes anything in their answers. */
export const openaiOtherRows: Row[] = [
  {
    api: 'OpenAI embeddings',
    stream: 'no',
    method: 'POST',
    path: '/openai/v1/embeddings',
    body: { model: embedder, input: question },
    cells: {
      complete: whole(embedding, ofEmbedding.told(1_000, 0, 1_000 * 20)),
      aborted: left(embedding.slice(0, 60), partial),
      'provider cut': cut(embedding.slice(0, 60), partial),
      error: whole(refusal, ofEmbedding.nothing({ http_status: 429 })),
      'no usage': whole(withoutFigures(embedding), counted),
    },
  },
  {
    api: 'OpenAI embeddings of token ids',
    stream: 'no',
    method: 'POST',
    path: '/openai/v1/embeddings',
    body: {
      model: embedder,
      input: [
        [1, 2, 3],
        [4, 5],
      ],
    },
    cells: {
      complete: whole(embedding, ofEmbedding.told(1_000, 0, 1_000 * 20)),
      aborted: left(embedding.slice(0, 60), unread),
      'provider cut': cut(embedding.slice(0, 60), unread),
      error: whole(refusal, ofEmbedding.nothing({ http_status: 429 })),
      'no usage': whole(withoutFigures(embedding), ofEmbedding.estimated(5, 0, 5 * 20)),
    },
  },
  {
    api: 'rerank of compatible servers',
    stream: 'no',
    method: 'POST',
    path: '/openai/v1/rerank',
    body: { model: embedder, query: '', documents: [question], top_n: 1 },
    cells: {
      complete: whole(ranking, ofEmbedding.told(1_000, 0, 1_000 * 20)),
      aborted: left(ranking.slice(0, 40), partial),
      'provider cut': cut(ranking.slice(0, 40), partial),
      error: whole(refusal, ofEmbedding.nothing({ http_status: 429 })),
      'no usage': whole(withoutFigures(ranking), counted),
    },
  },
  {
    api: 'Cohere embed',
    stream: 'no',
    method: 'POST',
    path: '/openai/v2/embed',
    body: { model: embedder, input_type: 'search_query', texts: [question] },
    cells: {
      complete: whole(billed({ embeddings: { float: [[1]] } }), ofEmbedding.told(1_000, 0, 1_000 * 20)),
      error: whole(refusal, ofEmbedding.nothing({ http_status: 429 })),
    },
  },
  {
    api: 'Cohere chat',
    stream: 'no',
    method: 'POST',
    path: '/openai/v2/chat',
    body: { model: 'gpt-5', messages: [{ role: 'user', content: question }] },
    cells: {
      complete: whole(saidByCohere, ofCohere.told(1_000, 100, 1_000 * 1_250 + 100 * 10_000)),
      error: whole(refusal, ofCohere.nothing({ http_status: 429 })),
    },
  },
  {
    api: 'Cohere chat',
    stream: 'SSE',
    method: 'POST',
    path: '/openai/v2/chat',
    body: { model: 'gpt-5', stream: true, messages: [{ role: 'user', content: question }] },
    cells: {
      complete: whole(streamedByCohere, ofCohere.told(1_000, 100, 1_000 * 1_250 + 100 * 10_000)),
    },
  },
  {
    api: 'Mistral OCR, USD 4 for a thousand pages',
    stream: 'no',
    method: 'POST',
    path: '/mistral/v1/ocr',
    body: { model: reader, document: { type: 'document_url', document_url: 'https://example.com/a.pdf' } },
    cells: {
      complete: whole(pages, ofReader.told(0, 0, 3 * 4_000_000)),
      error: whole(refusal, ofReader.nothing({ http_status: 429 })),
    },
  },
  {
    api: 'OpenAI moderations',
    stream: 'no',
    method: 'POST',
    path: '/openai/v1/moderations',
    body: { model: moderation, input: question },
    cells: {
      complete: whole(judgement, free.nothing()),
      aborted: left(judgement.slice(0, 20), free.nothing({ pii_scan: 'partial' })),
      'provider cut': cut(judgement.slice(0, 20), free.nothing({ pii_scan: 'partial' })),
      error: whole(refusal, free.nothing({ http_status: 429 })),
    },
  },
];
