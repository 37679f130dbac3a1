import { dataFrame, eventFrame } from '@agp/testing/providers';
import { cut, type Form, left, type Row, recordsOf, whole } from './cell.ts';
import { estimates, question, untilText, withoutFigures } from './conversation.ts';
import { refusal } from './openai-errors.ts';
import { writeForm } from './write-form.ts';

const model = 'gpt-image-1.5';
const { told, estimated, nothing } = recordsOf(model, []);
const picture = 'A'.repeat(3_000);

/** USD 5 for a million tokens of text in and 8 of images in, 32 of images out and 10 of text. */
const generated = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 50, image_tokens: 0 },
  output_tokens: 1_056,
  total_tokens: 1_106,
};
const edited = { ...generated, input_tokens_details: { text_tokens: 10, image_tokens: 40 } };
const reasoned = { ...generated, output_tokens_details: { image_tokens: 1_000, text_tokens: 56 } };
const expected = {
  generated: told(50, 1_056, 50 * 5_000 + 1_056 * 32_000),
  edited: told(50, 1_056, 10 * 5_000 + 40 * 8_000 + 1_056 * 32_000),
  reasoned: told(50, 1_056, 50 * 5_000 + 1_000 * 32_000 + 56 * 10_000),
  untold: estimated(estimates.question, 0, estimates.question * 5_000),
};
const answer = (usage: object) => JSON.stringify({ created: 1, data: [{ b64_json: picture }], usage });
const partial = { ...expected.untold, pii_scan: 'partial' } as const;

const kinds = {
  generation: eventFrame({ type: 'image_generation.partial_image', b64_json: picture, partial_image_index: 0 }),
  edit: eventFrame({ type: 'image_edit.partial_image', b64_json: picture, partial_image_index: 0 }),
};
const ending = (type: string, usage?: object) => eventFrame({ type, b64_json: picture, usage });
const broken = dataFrame({ error: { message: 'The server had an error.', type: 'server_error' } });
const { generation, edit } = kinds;

const generate = { api: 'OpenAI image generations', method: 'POST', path: '/openai/v1/images/generations' } as const;
const change = { api: 'OpenAI image edits', method: 'POST', path: '/openai/v1/images/edits' } as const;
const image = { name: 'image', filename: 'cat.png', type: 'image/png', content: Buffer.alloc(2_000, '\r\n--') };
const form = (more: Record<string, string> = {}): Form => writeForm({ model, prompt: question, ...more }, image);

export const openaiImageRows: Row[] = [
  {
    ...generate,
    stream: 'no',
    body: { model, prompt: question },
    cells: {
      complete: whole(answer(generated), expected.generated),
      aborted: left(untilText(answer(generated), 'AAAA'), partial),
      'provider cut': cut(untilText(answer(generated), 'AAAA'), partial),
      error: whole(refusal, nothing({ http_status: 429 })),
      'no usage': whole(withoutFigures(answer(generated)), expected.untold),
      reasoning: whole(answer(reasoned), expected.reasoned),
    },
  },
  {
    ...generate,
    stream: 'SSE',
    body: { model, prompt: question, stream: true },
    cells: {
      complete: whole(generation + ending('image_generation.completed', generated), expected.generated),
      aborted: left(generation, expected.untold),
      'provider cut': cut(generation, expected.untold),
      error: whole(generation + broken, { ...expected.untold, outcome: 'failed' }),
      'no usage': whole(generation + ending('image_generation.completed'), expected.untold),
      reasoning: whole(generation + ending('image_generation.completed', reasoned), expected.reasoned),
    },
  },
  {
    ...change,
    stream: 'no',
    body: form(),
    cells: {
      complete: whole(answer(edited), expected.edited),
      aborted: left(untilText(answer(edited), 'AAAA'), partial),
      'provider cut': cut(untilText(answer(edited), 'AAAA'), partial),
      error: whole(refusal, nothing({ http_status: 429 })),
      'no usage': whole(withoutFigures(answer(edited)), expected.untold),
    },
  },
  {
    ...change,
    stream: 'SSE',
    body: form({ stream: 'true' }),
    cells: {
      complete: whole(edit + ending('image_edit.completed', edited), expected.edited),
      aborted: left(edit, expected.untold),
      'provider cut': cut(edit, expected.untold),
      error: whole(edit + broken, { ...expected.untold, outcome: 'failed' }),
      'no usage': whole(edit + ending('image_edit.completed'), expected.untold),
    },
  },
];
