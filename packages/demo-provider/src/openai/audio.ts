import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { answerAsked } from '../model/answer-asked.ts';
import { plainAsked } from '../model/asked.ts';
import { parseRequest } from '../parse-request.ts';
import { readText, requireFile } from './read-form.ts';

/** A second of silence, which stands for all speech: PCM of 24,000 samples; the head of a WAV with them; frames of MPEG 1 Layer III. */
const pcm = Buffer.alloc(48_000);
const wavHead = Buffer.from('UklGRqS7AABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YYC7AAA=', 'base64');
const mp3Frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
const sounds = {
  mp3: { bytes: Buffer.concat(Array.from({ length: 38 }, () => mp3Frame)), type: 'audio/mpeg' },
  wav: { bytes: Buffer.concat([wavHead, pcm]), type: 'audio/wav' },
  pcm: { bytes: pcm, type: 'audio/pcm' },
};

const speech = z.looseObject({
  model: z.string().min(1),
  input: z.string().min(1).max(4_096),
  voice: z.unknown(),
  response_format: z.enum(['mp3', 'wav', 'pcm'], 'the demo speaks mp3, wav and pcm').default('mp3'),
});

/** `POST /v1/audio/speech`. */
export const answerSpeech: Endpoint = ({ body }) => sounds[parseRequest(speech, body).response_format];

const transcription = z.looseObject({
  model: z.string().min(1),
  response_format: z
    .enum(['json', 'text', 'verbose_json'], 'the demo writes json, text and verbose_json')
    .default('json'),
});

/** Of speech in a common compression. */
const bytesPerSecond = 16_000;
const tokensPerSecond = 10;

/** `POST /v1/audio/transcriptions` and `translations`: a few sentences that depend on the file's name, with its length by its size. */
export const answerTranscription: Endpoint = ({ form }) => {
  const file = requireFile(form, 'file');
  const { model, response_format: format } = parseRequest(transcription, readText(form, ['model', 'response_format']));
  const question = file.name.slice(0, 1_000);
  const { words, output } = answerAsked({ ...plainAsked, model, texts: [question], maxTokens: undefined }, 0);
  const text = words.join('');
  const seconds = Math.max(1, Math.ceil(file.size / bytesPerSecond));
  const input = seconds * tokensPerSecond;
  const usage = model.startsWith('whisper')
    ? { type: 'duration', seconds }
    : {
        type: 'tokens',
        input_tokens: input,
        input_token_details: { text_tokens: 0, audio_tokens: input },
        output_tokens: output,
        total_tokens: input + output,
      };
  if (format === 'text') return { bytes: Buffer.from(`${text}\n`), type: 'text/plain; charset=utf-8' };
  const segment = { id: 0, seek: 0, start: 0, end: seconds, text, tokens: [], temperature: 0 };
  const verbose = { task: 'transcribe', language: 'english', duration: seconds, segments: [segment] };
  return { json: { ...(format === 'verbose_json' ? verbose : {}), text, usage } };
};
