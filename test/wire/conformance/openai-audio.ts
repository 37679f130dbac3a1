import { dataFrame } from '@agp/testing/providers';
import { type Cell, cut, left, type Row, recordsOf, whole } from './cell.ts';
import { estimates, question, untilText, withoutFigures, words } from './conversation.ts';
import { refusal, upToFour, withError } from './openai-errors.ts';
import { writeForm } from './write-form.ts';

const { begun, said } = estimates;
const text = words.join('');
const sound = Buffer.alloc(2_000, 0xff);
const file = { name: 'file', filename: 'speech.mp3', type: 'audio/mpeg', content: sound };

/** USD 2.50 for a million tokens of text in, 6 of sound in and 10 of text out. What is not told is taken for text. */
const heard = recordsOf('gpt-4o-transcribe');
const usage = {
  type: 'tokens',
  input_tokens: 1_000,
  input_token_details: { text_tokens: 10, audio_tokens: 990 },
  output_tokens: 20,
  total_tokens: 1_020,
};
const prompt = estimates.question;
const transcribed = {
  complete: heard.told(1_000, 20, 10 * 2_500 + 990 * 6_000 + 20 * 10_000),
  begun: heard.estimated(prompt, begun, prompt * 2_500 + begun * 10_000),
  untold: heard.estimated(prompt, said, prompt * 2_500 + said * 10_000),
};
const transcript = JSON.stringify({ text, usage });
const deltas = words.map((delta) => dataFrame({ type: 'transcript.text.delta', delta })).join('');
const transcriptStream = deltas + dataFrame({ type: 'transcript.text.done', text, usage });

/** USD 0.36 an hour, which is 100,000 nano-dollars a second. */
const whisper = recordsOf('whisper-1');
const timed = JSON.stringify({ text, usage: { type: 'duration', seconds: 90 } });
const subtitles = `1\n00:00:00,000 --> 00:01:29,600\n${text}\n`;

/** USD 0.60 for a million tokens of text in and 12 of sound out, or 15 for a million characters. */
const spoken = recordsOf('gpt-4o-mini-tts', []);
const speechUsage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
const speechDelta = dataFrame({ type: 'speech.audio.delta', audio: 'A'.repeat(2_000) });
const speechDone = (given?: object) => dataFrame({ type: 'speech.audio.done', usage: given });
/** 28 characters at 1,250 tokens for 900. */
const unheard = spoken.estimated(prompt, 39, prompt * 600 + 39 * 12_000);
const byCharacter = recordsOf('tts-1', []);

const listen = { api: 'OpenAI transcription', method: 'POST', path: '/openai/v1/audio/transcriptions' } as const;
const speak = { api: 'OpenAI speech', method: 'POST', path: '/openai/v1/audio/speech' } as const;
const soundCells = (record: Cell['expected']): Row['cells'] => ({
  complete: whole(sound, record),
  aborted: left(sound, record),
  'provider cut': cut(sound, record),
});

export const openaiAudioRows: Row[] = [
  {
    ...listen,
    stream: 'no',
    body: writeForm({ model: 'gpt-4o-transcribe', prompt: question }, file),
    cells: {
      complete: whole(transcript, transcribed.complete),
      aborted: left(untilText(transcript, 'example.com'), { ...transcribed.begun, pii_scan: 'partial' }),
      'provider cut': cut(untilText(transcript, 'example.com'), { ...transcribed.begun, pii_scan: 'partial' }),
      error: whole(refusal, heard.nothing({ http_status: 429 })),
      'no usage': whole(withoutFigures(transcript), transcribed.untold),
    },
  },
  {
    ...listen,
    stream: 'SSE',
    body: writeForm({ model: 'gpt-4o-transcribe', prompt: question, stream: 'true' }, file),
    cells: {
      complete: whole(transcriptStream, transcribed.complete),
      aborted: left(upToFour(transcriptStream), transcribed.begun),
      'provider cut': cut(upToFour(transcriptStream), transcribed.begun),
      error: whole(withError(transcriptStream), { ...transcribed.begun, outcome: 'failed' }),
      'no usage': whole(withoutFigures(transcriptStream), transcribed.untold),
    },
  },
  {
    ...listen,
    api: 'OpenAI transcription by the second',
    stream: 'no',
    body: writeForm({ model: 'whisper-1' }, file),
    cells: {
      complete: whole(timed, whisper.told(0, 0, 90 * 100_000)),
      error: whole(refusal, whisper.nothing({ http_status: 429 })),
      // The form has a little more than 2,000 bytes, of which each second begun is paid.
      'no usage': whole(withoutFigures(timed), whisper.estimated(0, said, 2 * 100_000)),
    },
  },
  {
    ...listen,
    api: 'OpenAI transcription as subtitles',
    stream: 'no',
    body: writeForm({ model: 'whisper-1', response_format: 'srt' }, file),
    cells: {
      complete: whole(subtitles, whisper.estimated(0, said, 90 * 100_000), { contentType: 'text/plain' }),
      aborted: left(untilText(subtitles, 'example.com'), whisper.estimated(0, begun, 90 * 100_000), {
        contentType: 'text/plain',
      }),
      'provider cut': cut(untilText(subtitles, 'example.com'), whisper.estimated(0, begun, 90 * 100_000), {
        contentType: 'text/plain',
      }),
    },
  },
  {
    ...speak,
    stream: 'sound',
    body: { model: 'gpt-4o-mini-tts', input: question, voice: 'alloy' },
    cells: {
      ...soundCells(unheard),
      error: whole(refusal, spoken.nothing({ http_status: 429 }), { contentType: 'application/json' }),
    },
  },
  {
    ...speak,
    stream: 'SSE',
    body: { model: 'gpt-4o-mini-tts', input: question, voice: 'alloy', stream_format: 'sse' },
    cells: {
      complete: whole(speechDelta + speechDone(speechUsage), spoken.told(14, 101, 14 * 600 + 101 * 12_000)),
      aborted: left(speechDelta, unheard),
      'provider cut': cut(speechDelta, unheard),
      // One of its messages is no JSON.
      error: whole(withError(`${speechDelta}data: example.com\n\n`), {
        ...unheard,
        outcome: 'failed',
        pii_scan: 'partial',
      }),
      'no usage': whole(speechDelta + speechDone(), unheard),
    },
  },
  {
    ...speak,
    api: 'OpenAI speech by the character',
    stream: 'sound',
    body: { model: 'tts-1', input: question, voice: 'alloy' },
    cells: soundCells(byCharacter.estimated(prompt, 0, 28 * 15_000)),
  },
];
