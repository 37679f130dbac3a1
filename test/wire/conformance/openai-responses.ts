import { type CannedAnswer, eventFrame, responsesReply, responsesStreamReply } from '@agp/testing/providers';
import { cut, left, type Row, recordsOf, whole } from './cell.ts';
import {
  answerOf,
  estimates,
  instructions,
  question,
  thoughts,
  toolCalls,
  toolParameters,
  toWire,
  untilText,
  withoutFigures,
} from './conversation.ts';
import { refusal, upToFour } from './openai-errors.ts';

const { told, estimated, nothing } = recordsOf('gpt-4.1');
const { asked, begun, said, thoughtBegun } = estimates;

/** USD 2, 0.50 (cached) and 8 for a million tokens. */
const expected = {
  complete: told(1_000, 6, 1_000 * 2_000 + 6 * 8_000),
  begun: estimated(asked, begun, asked * 2_000 + begun * 8_000),
  thoughtBegun: estimated(asked, thoughtBegun, asked * 2_000 + thoughtBegun * 8_000),
  untold: estimated(asked, said, asked * 2_000 + said * 8_000),
  cached: told(1_000, 6, 200 * 2_000 + 800 * 500 + 6 * 8_000),
  reasoning: told(1_000, 262, 1_000 * 2_000 + 262 * 8_000),
  tools: told(1_000, 20, 1_000 * 2_000 + 20 * 8_000),
};

const cached = { input: 200, cacheRead: 800 };
const reasoning = { reasoning: 256 };
const calling = { words: [], toolCalls, output: 20 };
const tools = { asks: { tools: [{ type: 'function', name: 'send_mail', parameters: toolParameters }] } };

const answer = (given: Partial<CannedAnswer> = {}) => toWire(responsesReply(answerOf('gpt-4.1', given)));
const stream = (given: Partial<CannedAnswer> = {}) => toWire(responsesStreamReply(answerOf('gpt-4.1', given)));
/** A stream that breaks off within a summary of what is thought. */
const thoughtWire =
  eventFrame({ type: 'response.created', response: { id: 'resp_1', model: 'gpt-4.1', output: [], usage: null } }) +
  thoughts
    .slice(0, 4)
    .map((delta) => ({ item_id: 'rs_1', output_index: 0, summary_index: 0, delta }))
    .map((event) => eventFrame({ type: 'response.reasoning_summary_text.delta', ...event }))
    .join('');
const failed = { id: 'resp_1', object: 'response', status: 'failed', model: 'gpt-4.1', output: [], usage: null };
const failure =
  eventFrame({ type: 'error', code: 'server_error', message: 'The server had an error.', param: null }) +
  eventFrame({ type: 'response.failed', response: failed });

const row = { api: 'OpenAI responses', method: 'POST', path: '/openai/v1/responses' } as const;
const body = { model: 'gpt-4.1', instructions, input: question };

export const openaiResponseRows: Row[] = [
  {
    ...row,
    stream: 'no',
    body,
    cells: {
      complete: whole(answer(), expected.complete),
      aborted: left(untilText(answer(), 'example.com'), { ...expected.begun, pii_scan: 'partial' }),
      'provider cut': cut(untilText(answer(), 'example.com'), { ...expected.begun, pii_scan: 'partial' }),
      error: whole(refusal, nothing({ http_status: 429 })),
      'no usage': whole(withoutFigures(answer()), expected.untold),
      'cached tokens': whole(answer(cached), expected.cached),
      reasoning: whole(answer(reasoning), expected.reasoning),
      tools: whole(answer(calling), expected.tools, tools),
    },
  },
  {
    ...row,
    stream: 'SSE',
    body: { ...body, stream: true },
    cells: {
      complete: whole(stream(), expected.complete),
      aborted: left(upToFour(stream()), expected.begun),
      'provider cut': cut(upToFour(stream()), expected.begun),
      error: whole(upToFour(stream()) + failure, { ...expected.begun, outcome: 'failed' }),
      'no usage': whole(withoutFigures(stream()), expected.untold),
      'cached tokens': whole(stream(cached), expected.cached),
      reasoning: whole(stream(reasoning), expected.reasoning),
      'cut in reasoning': cut(thoughtWire, expected.thoughtBegun),
      tools: whole(stream(calling), expected.tools, tools),
    },
  },
];
