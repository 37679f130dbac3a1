import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DemoRequest, Endpoint } from '../endpoint.ts';
import { ProviderFault, parseRequest, readText, requireFile } from '../request.ts';
import { countTokens } from '../tokens.ts';

const imageFields = z.looseObject({
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

function makeImages({ prompt, n, stream }: z.infer<typeof imageFields>, images: number) {
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

export const answerImages: Endpoint = ({ body }) => makeImages(parseRequest(imageFields, body), 0);

export const answerImageEdits: Endpoint = ({ form }) => {
  const files = [...(form?.getAll('image') ?? []), ...(form?.getAll('image[]') ?? [])];
  if (files.length === 0) requireFile(form, 'image');
  return makeImages(parseRequest(imageFields, readText(form, ['model', 'prompt', 'n', 'stream'])), files.length);
};

/** A second of silence, which stands for all speech: frames of MPEG 1 Layer III, or WAV of 24,000 samples. */
const wavHead = Buffer.from('UklGRqS7AABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YYC7AAA=', 'base64');
const mp3Frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
const sounds = {
  mp3: { bytes: Buffer.concat(Array.from({ length: 38 }, () => mp3Frame)), type: 'audio/mpeg' },
  wav: { bytes: Buffer.concat([wavHead, Buffer.alloc(48_000)]), type: 'audio/wav' },
};

const speech = z.looseObject({
  model: z.string().min(1),
  input: z.string().min(1).max(4_096),
  response_format: z.enum(['mp3', 'wav'], 'the demo speaks mp3 and wav').default('mp3'),
});

export const answerSpeech: Endpoint = ({ body }) => sounds[parseRequest(speech, body).response_format];

const transcription = z.looseObject({
  model: z.string().min(1),
  response_format: z.enum(['json', 'text'], 'the demo writes json and text').default('json'),
});

/** `POST /v1/audio/transcriptions` and `translations`: a sentence with the file's name, of ten seconds. */
export const answerTranscription: Endpoint = ({ form }) => {
  const file = requireFile(form, 'file');
  const { model, response_format: format } = parseRequest(transcription, readText(form, ['model', 'response_format']));
  const text = `This is what was said in ${file.name.slice(0, 1_000)}.`;
  if (format === 'text') return { bytes: Buffer.from(`${text}\n`), type: 'text/plain; charset=utf-8' };
  const output_tokens = countTokens(text);
  const usage = model.startsWith('whisper')
    ? { type: 'duration', seconds: 10 }
    : {
        type: 'tokens',
        input_tokens: 100,
        input_token_details: { text_tokens: 0, audio_tokens: 100 },
        output_tokens,
        total_tokens: 100 + output_tokens,
      };
  return { json: { text, usage } };
};

const fileFields = z.looseObject({ purpose: z.string().min(1).max(100) });

/** The last files, in memory: the oldest goes first. */
const kept = new Map<string, { json: object; bytes: Buffer }>();
const mostKept = 4;

function find({ params: [id = ''] }: DemoRequest) {
  const file = kept.get(id);
  if (file) return file;
  throw new ProviderFault('not_found', `The demo has no such file: it keeps the last ${mostKept}.`, 'id');
}

/** `POST /v1/files`: its id may be used in messages. */
export const answerFile: Endpoint = async ({ form }) => {
  const file = requireFile(form, 'file');
  const { purpose } = parseRequest(fileFields, readText(form, ['purpose']));
  const bytes = Buffer.from(await file.arrayBuffer());
  const id = `file-${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}`;
  const json = {
    id,
    object: 'file',
    bytes: file.size,
    created_at: Math.floor(Date.now() / 1_000),
    filename: file.name.slice(0, 1_000),
    purpose,
    status: 'processed',
  };
  kept.delete(id);
  kept.set(id, { json, bytes });
  if (kept.size > mostKept) kept.delete([...kept.keys()][0] as string);
  return { json };
};

export const showFile: Endpoint = (request) => ({ json: find(request).json });

export const answerFileContent: Endpoint = (request) => ({
  bytes: find(request).bytes,
  type: 'application/octet-stream',
});
