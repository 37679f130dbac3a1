import { crc32, deflateSync } from 'node:zlib';
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { countTokens } from '../model/count-tokens.ts';
import { Draws } from '../model/draws.ts';
import { parseRequest } from '../parse-request.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readText, requireFile } from './read-form.ts';

const fields = z.looseObject({
  model: z.string().min(1).default('gpt-image-1'),
  prompt: z.string().min(1),
  n: z.coerce.number().int().min(1).max(10).nullish(),
  stream: z.union([z.boolean(), z.stringbool()]).nullish(),
});

const pixels = 64;
/** Of an image of medium quality. */
const tokensPerImage = 1_056;

function toChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** A square PNG of one colour. */
function drawPng(draws: Draws): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(pixels, 0);
  head.writeUInt32BE(pixels, 4);
  // Eight bits for each of red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  const colour = [draws.below(256), draws.below(256), draws.below(256)];
  const row = [0, ...Array.from({ length: pixels }, () => colour).flat()];
  const rows = Buffer.from(Array.from({ length: pixels }, () => row).flat());
  const signature = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');
  return Buffer.concat([
    signature,
    toChunk('IHDR', head),
    toChunk('IDAT', deflateSync(rows)),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
}

function makeImages({ model, prompt, n, stream }: z.infer<typeof fields>, images: number) {
  if (stream) throw new ProviderFault('invalid_request', 'The demo does not stream images.', 'stream');
  const draws = new Draws(`${model}\n${prompt}`);
  const data = Array.from({ length: n ?? 1 }, () => ({ b64_json: drawPng(draws).toString('base64') }));
  const text_tokens = countTokens(prompt);
  const image_tokens = images * tokensPerImage;
  const [input_tokens, output_tokens] = [text_tokens + image_tokens, data.length * tokensPerImage];
  const usage = {
    input_tokens,
    input_tokens_details: { text_tokens, image_tokens },
    output_tokens,
    total_tokens: input_tokens + output_tokens,
  };
  return { json: { created: Math.floor(Date.now() / 1_000), data, usage } };
}

/** `POST /v1/images/generations`. */
export const answerImages: Endpoint = ({ body }) => makeImages(parseRequest(fields, body), 0);

/** `POST /v1/images/edits`. */
export const answerImageEdits: Endpoint = ({ form }) => {
  const files = [...(form?.getAll('image') ?? []), ...(form?.getAll('image[]') ?? [])];
  if (files.length === 0) requireFile(form, 'image');
  return makeImages(parseRequest(fields, readText(form, ['model', 'prompt', 'n', 'stream'])), files.length);
};
