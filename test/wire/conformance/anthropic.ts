import { type CannedAnswer, eventFrame, messageReply, messageStreamReply } from '@agp/testing/providers';
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
import { upToFour } from './openai-errors.ts';

const model = 'claude-sonnet-4-5';
const { told, estimated, nothing } = recordsOf(model);
const { asked, begun, said, thoughtBegun } = estimates;

/** USD 3 and 15 for a million tokens; from the cache 0.30, into it 3.75 for 5 minutes and 6 for an hour. */
const expected = {
  complete: told(1_000, 6, 1_000 * 3_000 + 6 * 15_000),
  begun: estimated(asked, begun, asked * 3_000 + begun * 15_000),
  // The start of a stream counts its input.
  streamBegun: estimated(1_000, begun, 1_000 * 3_000 + begun * 15_000),
  thoughtBegun: estimated(1_000, thoughtBegun, 1_000 * 3_000 + thoughtBegun * 15_000),
  untold: estimated(asked, said, asked * 3_000 + said * 15_000),
  cached: told(1_000, 6, 200 * 3_000 + 500 * 300 + 250 * 3_750 + 50 * 6_000 + 6 * 15_000),
  reasoning: told(1_000, 262, 1_000 * 3_000 + 262 * 15_000),
  tools: told(1_000, 20, 1_000 * 3_000 + 20 * 15_000),
};

const cached = { input: 200, cacheRead: 500, cacheWrite5m: 250, cacheWrite1h: 50 };
const reasoning = { reasoning: 256 };
const calling = { words: [], toolCalls, output: 20 };
const tools = { asks: { tools: [{ name: 'send_mail', input_schema: toolParameters }] } };

const answer = (given: Partial<CannedAnswer> = {}) => toWire(messageReply(answerOf(model, given)));
const stream = (given: Partial<CannedAnswer> = {}) => toWire(messageStreamReply(answerOf(model, given)));
/** The same with what was thought before, in a block of its own. */
const thinkingStream = stream(reasoning).replace(
  'event: content_block_start',
  [
    eventFrame({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    ...thoughts.map((thinking) =>
      eventFrame({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking } }),
    ),
    eventFrame({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: 'EqQBCkYIBxgC' },
    }),
    eventFrame({ type: 'content_block_stop', index: 0 }),
    'event: content_block_start',
  ].join(''),
);
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const refusal = JSON.stringify(overloaded);

const row = { method: 'POST', path: '/anthropic/v1/messages' } as const;
const body = { model, max_tokens: 400, system: instructions, messages: [{ role: 'user', content: question }] };

const line = (custom_id: string, result: object) => `${JSON.stringify({ custom_id, result })}\n`;
const succeeded = (id: string, given: Partial<CannedAnswer> = {}) =>
  line(id, { type: 'succeeded', message: JSON.parse(answer(given)) });
const errored = line('call-2', { type: 'errored', error: overloaded });
const results = (given: Partial<CannedAnswer> = {}) => succeeded('call-1', given) + errored + succeeded('call-3');
const ofBatch = recordsOf(model);
const batch = {
  api: 'Anthropic batch results',
  stream: 'lines',
  method: 'GET',
  path: '/anthropic/v1/messages/batches/msgbatch_{id}/results',
} as const;
const fetched = recordsOf('unknown');
const unbilled = ofBatch.nothing({ pii_scan: 'partial', pii_types: ['email'] });

export const anthropicRows: Row[] = [
  {
    ...row,
    api: 'Anthropic messages',
    stream: 'no',
    body,
    cells: {
      complete: whole(answer(), expected.complete),
      aborted: left(untilText(answer(), 'example.com'), { ...expected.begun, pii_scan: 'partial' }),
      'provider cut': cut(untilText(answer(), 'example.com'), { ...expected.begun, pii_scan: 'partial' }),
      error: whole(refusal, nothing({ http_status: 529 })),
      'no usage': whole(withoutFigures(answer()), expected.untold),
      'cached tokens': whole(answer(cached), expected.cached),
      reasoning: whole(answer(reasoning), expected.reasoning),
      tools: whole(answer(calling), expected.tools, tools),
    },
  },
  {
    ...row,
    api: 'Anthropic messages',
    stream: 'SSE',
    body: { ...body, stream: true },
    cells: {
      complete: whole(stream(), expected.complete),
      aborted: left(upToFour(stream()), expected.streamBegun),
      'provider cut': cut(upToFour(stream()), expected.streamBegun),
      error: whole(upToFour(stream()) + eventFrame(overloaded), { ...expected.streamBegun, outcome: 'failed' }),
      'no usage': whole(withoutFigures(stream()), expected.untold),
      'cached tokens': whole(stream(cached), expected.cached),
      reasoning: whole(thinkingStream, expected.reasoning),
      'cut in reasoning': cut(upToFour(thinkingStream), expected.thoughtBegun),
      tools: whole(stream(calling), expected.tools, tools),
    },
  },
  {
    api: 'Anthropic count_tokens',
    stream: 'no',
    method: 'POST',
    path: '/anthropic/v1/messages/count_tokens',
    body,
    cells: {
      complete: whole('{"input_tokens":14}', nothing()),
      aborted: left('{"input_to', nothing({ pii_scan: 'partial' })),
      'provider cut': cut('{"input_to', nothing({ pii_scan: 'partial' })),
      error: whole(refusal, nothing({ http_status: 529 })),
    },
  },
  {
    ...batch,
    cells: {
      // Two calls at half the price.
      complete: whole(results(), ofBatch.told(2_000, 12, (2_000 * 3_000 + 12 * 15_000) / 2)),
      // What is not fetched whole is billed with a later fetch.
      aborted: left(results().slice(0, -40), unbilled),
      'provider cut': cut(results().slice(0, -40), unbilled),
      error: whole(`${refusal}\n`, fetched.nothing({ http_status: 529 })),
      'no usage': whole(errored, fetched.nothing()),
      'cached tokens': whole(
        results(cached),
        ofBatch.told(2_000, 12, (1_200 * 3_000 + 500 * 300 + 250 * 3_750 + 50 * 6_000 + 12 * 15_000) / 2),
      ),
      reasoning: whole(results(reasoning), ofBatch.told(2_000, 268, (2_000 * 3_000 + 268 * 15_000) / 2)),
      tools: whole(results(calling), ofBatch.told(2_000, 26, (2_000 * 3_000 + 26 * 15_000) / 2)),
    },
  },
];
