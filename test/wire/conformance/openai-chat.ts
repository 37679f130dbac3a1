import type { CannedAnswer } from '@agp/testing/providers';
import { chatReply, chatStreamReply } from '@agp/testing/providers';
import { cut, left, type Row, recordsOf, whole } from './cell.ts';
import {
  answerOf,
  estimates,
  messages,
  toolCalls,
  toolParameters,
  toWire,
  untilText,
  withoutFigures,
} from './conversation.ts';
import { refusal, upToFour, withError } from './openai-errors.ts';

const { told, estimated, nothing } = recordsOf('gpt-5');
const { asked, begun, said } = estimates;

/** USD 1.25, 0.125 (cached) and 10 for a million tokens, which are 1,250, 125 and 10,000 nano-dollars for each. */
const expected = {
  complete: told(1_000, 6, 1_000 * 1_250 + 6 * 10_000),
  begun: estimated(asked, begun, asked * 1_250 + begun * 10_000),
  untold: estimated(asked, said, asked * 1_250 + said * 10_000),
  cached: told(1_000, 6, 200 * 1_250 + 800 * 125 + 6 * 10_000),
  reasoning: told(1_000, 262, 1_000 * 1_250 + 262 * 10_000),
  tools: told(1_000, 20, 1_000 * 1_250 + 20 * 10_000),
};

const cached = { input: 200, cacheRead: 800 };
const reasoning = { reasoning: 256 };
const calling = { words: [], toolCalls, output: 20 };
const tool = { type: 'function', function: { name: 'send_mail', parameters: toolParameters } };
const tools = { asks: { tools: [tool] } };

const answer = (given: Partial<CannedAnswer> = {}) => toWire(chatReply(answerOf('gpt-5', given)));
const stream = (isAsked: boolean, given: Partial<CannedAnswer> = {}) =>
  toWire(chatStreamReply(answerOf('gpt-5', given), isAsked));

const row = { api: 'OpenAI chat completions', method: 'POST', path: '/openai/v1/chat/completions' } as const;
const body = { model: 'gpt-5', messages };

/** Streams of agents that ask for the usage themselves, and get the frame with it, or that do not. */
function streamCells(agentAsks: boolean): Row['cells'] {
  const frames = (given: Partial<CannedAnswer> = {}, change = (wire: string) => wire) => {
    const unasked = agentAsks ? {} : { unasked: change(stream(false, given)) };
    return [change(stream(true, given)), unasked] as const;
  };
  const [complete, short] = frames();
  const [four, shortFour] = frames({}, upToFour);
  const [error, shortError] = frames({}, withError);
  const [fromCache, shortFromCache] = frames(cached);
  const [thought, shortThought] = frames(reasoning);
  const [called, shortCalled] = frames(calling);
  return {
    complete: whole(complete, expected.complete, short),
    aborted: left(four, expected.begun, shortFour),
    'provider cut': cut(four, expected.begun, shortFour),
    error: whole(error, { ...expected.begun, outcome: 'failed' }, shortError),
    'no usage': whole(stream(false), expected.untold),
    'cached tokens': whole(fromCache, expected.cached, shortFromCache),
    reasoning: whole(thought, expected.reasoning, shortThought),
    tools: whole(called, expected.tools, { ...shortCalled, ...tools }),
  };
}

export const openaiChatRows: Row[] = [
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
  { ...row, stream: 'SSE', asksUsage: true, body: { ...body, stream: true }, cells: streamCells(false) },
  {
    ...row,
    api: `${row.api}, sent as text`,
    stream: 'SSE',
    asksUsage: true,
    body: { ...body, stream: true },
    cells: { complete: whole(stream(true), expected.complete, { unasked: stream(false), contentType: 'text/plain' }) },
  },
  {
    ...row,
    api: `${row.api}, usage asked for`,
    stream: 'SSE',
    body: { ...body, stream: true, stream_options: { include_usage: true } },
    cells: streamCells(true),
  },
  {
    ...row,
    api: `${row.api}, usage refused`,
    stream: 'SSE',
    body: { ...body, stream: true, stream_options: { include_usage: false } },
    cells: {
      complete: whole(stream(false), expected.untold),
      aborted: left(upToFour(stream(false)), expected.begun),
      'provider cut': cut(upToFour(stream(false)), expected.begun),
      error: whole(withError(stream(false)), { ...expected.begun, outcome: 'failed' }),
    },
  },
];
