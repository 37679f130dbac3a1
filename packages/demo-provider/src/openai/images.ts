import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { countTokens } from '../model/count-tokens.ts';
import { parseRequest } from '../parse-request.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readText, requireFile } from './read-form.ts';

const fields = z.looseObject({
  model: z.string().min(1).default('gpt-image-1'),
  prompt: z.string().min(1),
  n: z.coerce.number().int().min(1).max(10).nullish(),
  stream: z.union([z.boolean(), z.stringbool()]).nullish(),
});

/** Of an image of medium quality. */
const tokensPerImage = 1_056;

/** A blue square as PNG, which stands for every image. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsGtoISMZ0gi+hcEKLNXzWgQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQELguDR3FatNvZOgAAAABJRU5ErkJggg==';

function makeImages({ prompt, n, stream }: z.infer<typeof fields>, images: number) {
  if (stream) throw new ProviderFault('invalid_request', 'The demo does not stream images.', 'stream');
  const data = Array.from({ length: n ?? 1 }, () => ({ b64_json: picture }));
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
