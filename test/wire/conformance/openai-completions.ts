import { completionReply, completionStreamReply } from '@agp/testing/providers';
import { cut, left, type Row, recordsOf, whole } from './cell.ts';
import { answerOf, olderEstimates, question, toWire, untilText, withoutFigures } from './conversation.ts';
import { refusal, upToFour, withError } from './openai-errors.ts';

const model = 'gpt-3.5-turbo-instruct';
const { told, estimated, nothing } = recordsOf(model);
const { asked, begun, said } = olderEstimates;

/** USD 1.50 and 2 for a million tokens. */
const expected = {
  complete: told(1_000, 6, 1_000 * 1_500 + 6 * 2_000),
  begun: estimated(asked, begun, asked * 1_500 + begun * 2_000),
  untold: estimated(asked, said, asked * 1_500 + said * 2_000),
};

const answer = toWire(completionReply(answerOf(model)));
const stream = toWire(completionStreamReply(answerOf(model), true));
const unasked = toWire(completionStreamReply(answerOf(model), false));

const row = { api: 'OpenAI completions', method: 'POST', path: '/openai/v1/completions' } as const;
const body = { model, prompt: question };

export const openaiCompletionRows: Row[] = [
  {
    ...row,
    stream: 'no',
    body,
    cells: {
      complete: whole(answer, expected.complete),
      aborted: left(untilText(answer, 'example.com'), { ...expected.begun, pii_scan: 'partial' }),
      'provider cut': cut(untilText(answer, 'example.com'), { ...expected.begun, pii_scan: 'partial' }),
      error: whole(refusal, nothing({ http_status: 429 })),
      'no usage': whole(withoutFigures(answer), expected.untold),
    },
  },
  {
    ...row,
    stream: 'SSE',
    asksUsage: true,
    body: { ...body, stream: true },
    cells: {
      complete: whole(stream, expected.complete, { unasked }),
      aborted: left(upToFour(stream), expected.begun, { unasked: upToFour(unasked) }),
      'provider cut': cut(upToFour(stream), expected.begun, { unasked: upToFour(unasked) }),
      error: whole(withError(stream), { ...expected.begun, outcome: 'failed' }, { unasked: withError(unasked) }),
      'no usage': whole(unasked, expected.untold),
    },
  },
];
