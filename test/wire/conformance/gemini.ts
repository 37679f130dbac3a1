import type { CannedAnswer } from '@agp/testing/providers';
import {
  generateContentReply,
  streamGenerateContentArrayReply,
  streamGenerateContentReply,
} from '@agp/testing/providers';
import { type Cell, cut, left, type Row, recordsOf, whole } from './cell.ts';
import {
  answerOf,
  estimates,
  instructions,
  question,
  thoughts,
  toolCalls,
  toolParameters,
  toWire,
  untilFrame,
  untilText,
  withoutFigures,
} from './conversation.ts';

const model = 'gemini-2.5-flash';
const { told, estimated, nothing } = recordsOf(model);
const { asked, begun, said } = estimates;

/** USD 0.30, 0.03 (cached) and 2.50 for a million tokens. Thoughts are output beside the candidates. */
const expected = {
  complete: told(1_000, 6, 1_000 * 300 + 6 * 2_500),
  begun: estimated(asked, begun, asked * 300 + begun * 2_500),
  // Each frame of a stream counts the input.
  streamBegun: estimated(1_000, begun, 1_000 * 300 + begun * 2_500),
  untold: estimated(asked, said, asked * 300 + said * 2_500),
  cached: told(1_000, 6, 200 * 300 + 800 * 30 + 6 * 2_500),
  // The thoughts are counted by the provider; what is shown of them is a summary.
  thoughtBegun: estimated(1_000, 40, 1_000 * 300 + 40 * 2_500),
  reasoning: told(1_000, 262, 1_000 * 300 + 262 * 2_500),
  tools: told(1_000, 20, 1_000 * 300 + 20 * 2_500),
};

const cached = { input: 200, cacheRead: 800 };
const reasoning = { reasoning: 256 };
const calling = { words: [], toolCalls, output: 20 };
const tools = { asks: { tools: [{ functionDeclarations: [{ name: 'send_mail', parameters: toolParameters }] }] } };

const answer = (given: Partial<CannedAnswer> = {}) => toWire(generateContentReply(answerOf(model, given)));
const sse = (given: Partial<CannedAnswer> = {}) => toWire(streamGenerateContentReply(answerOf(model, given)));
const array = (given: Partial<CannedAnswer> = {}) => toWire(streamGenerateContentArrayReply(answerOf(model, given)));
/** A stream's first frames, with a summary of what was thought. */
const thinkingFrames = thoughts.map((text) =>
  JSON.stringify({
    candidates: [{ content: { parts: [{ text, thought: true }], role: 'model' }, index: 0 }],
    usageMetadata: { promptTokenCount: 1_000, thoughtsTokenCount: 40, totalTokenCount: 1_040 },
    modelVersion: model,
  }),
);
const refusal = JSON.stringify({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } });

const path = (operation: string) => `/gemini/v1beta/models/${model}:${operation}`;
const content = { role: 'user', parts: [{ text: question }] };
const body = { systemInstruction: { parts: [{ text: instructions }] }, contents: [content] };

/** A stream in either form. */
function streamCells(
  frames: (given?: Partial<CannedAnswer>) => string,
  frameEnd: string,
  addError: (wire: string) => string,
  addThoughts: (wire: string) => string,
): Row['cells'] {
  const thinking = addThoughts(frames(reasoning));
  const four = untilFrame(frames(), 'example.com', frameEnd);
  return {
    complete: whole(frames(), expected.complete),
    aborted: left(four, expected.streamBegun),
    'provider cut': cut(four, expected.streamBegun),
    error: whole(addError(four), { ...expected.streamBegun, outcome: 'failed' }),
    'no usage': whole(withoutFigures(frames()), expected.untold),
    'cached tokens': whole(frames(cached), expected.cached),
    reasoning: whole(thinking, expected.reasoning),
    'cut in reasoning': cut(untilFrame(thinking, 'example.com', frameEnd), expected.thoughtBegun),
    tools: whole(frames(calling), expected.tools, tools),
  };
}

const embedder = 'gemini-embedding-001';
const ofEmbedding = recordsOf(embedder, []);
const embedderPath = (operation: string) => `/gemini/v1beta/models/${embedder}:${operation}`;
const values = [0.6, 0.8];
/** Gemini tells nothing of what an embedding used. USD 0.15 for a million tokens. */
const counted = (tokens: number) => ofEmbedding.estimated(tokens, 0, tokens * 150);

function embeddingCells(wire: string, record: Cell['expected']): Row['cells'] {
  return {
    complete: whole(wire, record),
    aborted: left(wire.slice(0, -6), { ...record, pii_scan: 'partial' }),
    'provider cut': cut(wire.slice(0, -6), { ...record, pii_scan: 'partial' }),
    error: whole(refusal, ofEmbedding.nothing({ http_status: 503 })),
  };
}

export const geminiRows: Row[] = [
  {
    api: 'Gemini generateContent',
    stream: 'no',
    method: 'POST',
    path: path('generateContent'),
    body,
    cells: {
      complete: whole(answer(), expected.complete),
      aborted: left(untilText(answer(), 'example.com'), { ...expected.begun, pii_scan: 'partial' }),
      'provider cut': cut(untilText(answer(), 'example.com'), { ...expected.begun, pii_scan: 'partial' }),
      error: whole(refusal, nothing({ http_status: 503 })),
      'no usage': whole(withoutFigures(answer()), expected.untold),
      'cached tokens': whole(answer(cached), expected.cached),
      reasoning: whole(answer(reasoning), expected.reasoning),
      tools: whole(answer(calling), expected.tools, tools),
    },
  },
  {
    api: 'Gemini streamGenerateContent',
    stream: 'SSE',
    method: 'POST',
    path: path('streamGenerateContent?alt=sse'),
    body,
    cells: streamCells(
      sse,
      '\n\n',
      (wire) => `${wire}data: ${refusal}\n\n`,
      (wire) => thinkingFrames.map((frame) => `data: ${frame}\n\n`).join('') + wire,
    ),
  },
  {
    api: 'Gemini streamGenerateContent',
    stream: 'array',
    method: 'POST',
    path: path('streamGenerateContent'),
    body,
    cells: streamCells(
      array,
      ',\r\n',
      (wire) => `${wire}${refusal}]`,
      (wire) => `[${thinkingFrames.join(',\r\n')},\r\n${wire.slice(1)}`,
    ),
  },
  {
    api: 'Gemini embedContent',
    stream: 'no',
    method: 'POST',
    path: embedderPath('embedContent'),
    body: { content },
    cells: embeddingCells(JSON.stringify({ embedding: { values } }), counted(estimates.question)),
  },
  {
    api: 'Gemini batchEmbedContents',
    stream: 'no',
    method: 'POST',
    path: embedderPath('batchEmbedContents'),
    body: { requests: [{ content: { parts: [{ text: instructions }] } }, { content }] },
    cells: embeddingCells(JSON.stringify({ embeddings: [{ values }, { values }] }), counted(asked)),
  },
  {
    api: 'Gemini countTokens',
    stream: 'no',
    method: 'POST',
    path: path('countTokens'),
    body,
    cells: {
      complete: whole('{"totalTokens":14}', nothing()),
      aborted: left('{"totalTok', nothing({ pii_scan: 'partial' })),
      'provider cut': cut('{"totalTok', nothing({ pii_scan: 'partial' })),
      error: whole(refusal, nothing({ http_status: 503 })),
    },
  },
];
