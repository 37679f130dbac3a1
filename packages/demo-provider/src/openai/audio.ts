import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { answerAsked } from '../model/answer-asked.ts';
import { plainAsked } from '../model/asked.ts';
import { parseRequest } from '../parse-request.ts';
import { readText, requireFile } from './read-form.ts';

const sampleRate = 24_000;
/** Of speech, in characters. */
const charactersPerSecond = 15;
/** A frame of MPEG 1 Layer III at 128 kbit/s and 44.1 kHz, which lasts 26 ms: zeros are silence. */
const mp3Frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
const mp3FramesPerSecond = 38;

const speech = z.looseObject({
  model: z.string().min(1),
  input: z.string().min(1).max(4_096),
  voice: z.unknown(),
  response_format: z.enum(['mp3', 'wav', 'pcm'], 'the demo speaks mp3, wav and pcm').default('mp3'),
});

function toWav(samples: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF    WAVEfmt ', 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.writeUInt32LE(16, 16);
  // PCM, one channel.
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** `POST /v1/audio/speech`: silence, as long as the text would take. */
export const answerSpeech: Endpoint = ({ body }) => {
  const { input, response_format: format } = parseRequest(speech, body);
  const seconds = Math.ceil(input.length / charactersPerSecond);
  if (format === 'mp3') {
    const frames = Array.from({ length: seconds * mp3FramesPerSecond }, () => mp3Frame);
    return { bytes: Buffer.concat(frames), type: 'audio/mpeg' };
  }
  const samples = Buffer.alloc(seconds * sampleRate * 2);
  return format === 'pcm' ? { bytes: samples, type: 'audio/pcm' } : { bytes: toWav(samples), type: 'audio/wav' };
};

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
