import { makeUsage, type Usage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import { type Frame, findOperation, readStream } from '../../../test/find-operation.ts';

const transcriptions = findOperation('/v1/audio/transcriptions');
const translations = findOperation('/v1/audio/translations');
const speech = findOperation('/v1/audio/speech');

const tokens = {
  type: 'tokens',
  input_tokens: 26,
  input_token_details: { text_tokens: 2, audio_tokens: 24 },
  output_tokens: 12,
  total_tokens: 38,
};
const tokensRead = { promptTokens: 26, inputAudioTokens: 24, completionTokens: 12 };

const subtitles = {
  srt: '1\n00:00:00,000 --> 00:00:02,500\nWrite to a@\n\n2\n00:00:02,500 --> 00:01:04,700\nb.test, please.\n\n',
  vtt: 'WEBVTT\r\n\r\n00:00.000 --> 00:02.500\r\nWrite to a@\r\n\r\n00:02.500 --> 01:04.700\r\nb.test, please.\r\n',
};

describe('transcripts', () => {
  const table: [string, unknown, Partial<Usage> | null, string[]][] = [
    ['billed by tokens', { text: 'Hi.', usage: tokens }, tokensRead, ['Hi.']],
    ['billed by length', { text: 'Hi.', usage: { type: 'duration', seconds: 11 } }, { inputAudioSeconds: 11 }, ['Hi.']],
    [
      'with segments and words, which repeat the text',
      { task: 'transcribe', duration: 8.47, text: 'Hi.', segments: [{ text: 'Hi.' }], words: [{ word: 'Hi' }] },
      { inputAudioSeconds: 8 },
      ['Hi.'],
    ],
    ['of less than half a second', { duration: 0.4, text: 'Hi.' }, { inputAudioSeconds: 1 }, ['Hi.']],
    ['with a length in a string', { duration: '2.95', text: 'Hi.' }, { inputAudioSeconds: 3 }, ['Hi.']],
    [
      'of speakers',
      { duration: 9, text: 'Hi.', segments: [{ speaker: 'A', text: 'Hi.' }], usage: tokens },
      tokensRead,
      ['Hi.'],
    ],
    ['without figures', { text: 'Hi.' }, null, ['Hi.']],
    ['in plain text', 'Hi.\n', null, ['Hi.\n']],
    ['as SRT', subtitles.srt, { inputAudioSeconds: 65 }, ['Write to a@ b.test, please.']],
    ['as WebVTT', subtitles.vtt, { inputAudioSeconds: 65 }, ['Write to a@ b.test, please.']],
    ['that are empty', '', null, []],
    [
      'of Mistral',
      { text: 'Hi.', usage: { prompt_tokens: 4, completion_tokens: 6, prompt_audio_seconds: 203 } },
      { promptTokens: 4, completionTokens: 6, inputAudioSeconds: 203 },
      ['Hi.'],
    ],
  ];

  test.each(table)('%s', (_, answer, usage, parts) => {
    for (const from of [transcriptions, translations]) {
      expect(from.otherAnswers).toBe('text');
      const reading = from.readAnswer(answer);
      expect(reading.usage).toEqual(usage && makeUsage(usage));
      expect(reading.outputText()).toEqual({ parts, whole: true });
    }
  });

  test('are asked for by the text fields of a form', () => {
    const fields = {
      model: 'whisper-1',
      prompt: 'Names: Ada.',
      stream: 'true',
      response_format: 'srt',
      keywords: ['Bern'],
    };
    const reading = transcriptions.readRequest(fields, '/');
    expect(reading).toMatchObject({ requestedModel: 'whisper-1', stream: true, toldUsage: {} });
    expect(reading.inputText().parts).toEqual(['Names: Ada.', 'Bern']);
  });
});

describe('streams of transcripts', () => {
  const delta = (text: string) => ({ type: 'transcript.text.delta', delta: text });
  const done = (rest: object = { usage: tokens }) => ({ type: 'transcript.text.done', text: 'Hi there.', ...rest });
  const final = { usage: makeUsage(tokensRead), usageIsFinal: true, sawEnd: true, failed: false };

  const table: [string, Frame[], object, string[]][] = [
    ['whole', [delta('Hi '), delta('there.'), done()], final, ['Hi there.']],
    ['cut', [delta('Hi '), delta('the')], { usage: null, sawEnd: false }, ['Hi the']],
    ['without deltas', [done()], final, ['Hi there.']],
    [
      'without figures',
      [delta('Hi there.'), done({})],
      { usage: null, usageIsFinal: false, sawEnd: true },
      ['Hi there.'],
    ],
    [
      'of speakers',
      [
        { type: 'transcript.text.segment', id: 's0', speaker: 'A', text: 'Hi ' },
        { type: 'transcript.text.segment', id: 's1', speaker: 'B', text: 'there.' },
        done(),
      ],
      final,
      ['Hi ', 'there.'],
    ],
    [
      'with an error',
      [delta('Hi'), { type: 'error', error: { message: 'no' } }],
      { failed: true, sawEnd: false },
      ['Hi'],
    ],
  ];

  test.each(table)('%s', (_, frames, expected, parts) => {
    const reading = readStream(transcriptions, ...frames);
    expect(reading).toMatchObject(expected);
    expect(reading.outputText()).toEqual({ parts, whole: true });
  });
});

describe('speech', () => {
  test('is billed by the character, or by tokens that the request lets expect', () => {
    const input = 'x'.repeat(900);
    const old = speech.readRequest({ model: 'tts-1-hd', input }, '/');
    expect(old).toMatchObject({ requestedModel: 'tts-1-hd', stream: false, toldUsage: { inputCharacters: 900 } });
    expect(old.toldUsage.completionTokens).toBeUndefined();
    const current = speech.readRequest(
      { model: 'gpt-4o-mini-tts', input, instructions: 'Softly.', stream_format: 'sse' },
      '/',
    );
    expect(current.stream).toBe(true);
    // 900 characters are about a minute of speech, and a minute is 1,250 tokens.
    expect(current.toldUsage).toEqual({ inputCharacters: 900, completionTokens: 1250, outputAudioTokens: 1250 });
    expect(current.inputText().parts).toEqual([input, 'Softly.']);
  });

  test('holds no text', () => {
    expect(speech.otherAnswers).toBe('media');
  });

  const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
  const sound = { type: 'speech.audio.delta', audio: 'AAAA' };
  const read = makeUsage({ promptTokens: 14, completionTokens: 101, outputAudioTokens: 101 });

  test.each<[string, Frame[], object]>([
    ['whole', [sound, { type: 'speech.audio.done', usage }], { usage: read, usageIsFinal: true, sawEnd: true }],
    [
      "whole, with the other API's names (vLLM)",
      [sound, { type: 'speech.audio.done', usage: { prompt_tokens: 14, completion_tokens: 101, total_tokens: 115 } }],
      { usage: read, usageIsFinal: true, sawEnd: true },
    ],
    ['cut', [sound, sound], { usage: null, sawEnd: false, failed: false }],
    ['failed', [sound, { error: { message: 'no' } }], { usage: null, failed: true }],
  ])('streamed, %s', (_, frames, expected) => {
    const reading = readStream(speech, ...frames);
    expect(reading).toMatchObject(expected);
    expect(reading.outputText()).toEqual({ parts: [], whole: true });
  });
});

test('moderation is free, and its input is read', () => {
  const moderations = findOperation('/v1/moderations');
  expect(moderations.isFree).toBe(true);
  const reading = moderations.readRequest({ input: ['a', { type: 'text', text: 'b' }] }, '/');
  expect(reading.inputText().parts).toEqual(['a', 'b']);
  expect(moderations.readAnswer({ model: 'omni-moderation-latest', results: [] })).toMatchObject({
    model: 'omni-moderation-latest',
    usage: null,
  });
});
