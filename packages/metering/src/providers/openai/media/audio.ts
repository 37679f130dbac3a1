import { makeUsage, type Usage } from '@agp/pricing';
import { asObject, asText, type JsonObject } from '../../../json/json-shapes.ts';
import type { Operation } from '../../operation.ts';
import { describeOperation, type Figures } from '../describe-operation.ts';
import { EventStreamReader } from '../event-stream-reader.ts';
import { readTokenUsage } from '../usage.ts';
import { createTranscriptEventReader, readTranscript, readTranscriptUsage } from './transcript.ts';

/**
 * Bytes that a second of sound is taken to have where no answer tells its length: 16 kbit/s, the least that is recommended for
 * speech of the quality that models hear (Opus, wideband; RFC 7587, section 3.1.1). Most files have more bytes a second, so that
 * their sound is shorter and this errs to the dear side.
 */
const bytesPerSecond = 2_000;

/** Sound of which the request gives only the address, as with Groq and Mistral, is taken to last an hour. */
const unseenSeconds = 3_600;

function guessLength({ url, file_url: fileUrl, file_id: fileId }: JsonObject, size: number): Partial<Usage> {
  const unseen = url || fileUrl || fileId ? unseenSeconds : 0;
  return { inputAudioSeconds: Math.max(Math.ceil(size / bytesPerSecond), unseen) };
}

/** Requests are forms with the audio in them; answers JSON, plain text or subtitles. */
function describeTranscription(name: string): Operation {
  const readFigures = (answer: unknown): Figures => ({ usage: readTranscriptUsage(answer) });
  return describeOperation({
    name,
    otherAnswers: 'text',
    input: ['prompt', 'keywords', 'known_speaker_names'],
    isStream: ({ stream }) => stream === true || stream === 'true',
    readToldUsage: guessLength,
    readFigures,
    readText: readTranscript,
    createStreamReader: () =>
      new EventStreamReader({
        endings: ['transcript.text.done'],
        readFigures,
        readText: createTranscriptEventReader(),
      }),
  });
}

export const transcriptions = describeTranscription('audio.transcriptions');
export const translations = describeTranscription('audio.translations');

/**
 * Tokens of speech for each character that is spoken. OpenAI gives gpt-4o-mini-tts as about 0.015 USD a minute at 12 USD a
 * million tokens (platform.openai.com/docs/pricing), and people speak some 900 characters a minute.
 */
const spokenTokensPerCharacter = 1_250 / 900;

/** The oldest models are billed by the character, all others by tokens, which an answer of sound does not report. */
function readSpeechRequest({ model, input }: JsonObject): Partial<Usage> {
  const inputCharacters = asText(input)?.length ?? 0;
  if (/^tts\b/.test(asText(model) ?? '')) return { inputCharacters };
  const spoken = Math.round(inputCharacters * spokenTokensPerCharacter);
  return { inputCharacters, completionTokens: spoken, outputAudioTokens: spoken };
}

function readSpeechFigures(event: unknown): Figures {
  const usage = readTokenUsage(asObject(event).usage);
  return { usage: usage && makeUsage({ ...usage, outputAudioTokens: usage.completionTokens }) };
}

export const speech = describeOperation({
  name: 'audio.speech',
  writesText: false,
  otherAnswers: 'media',
  input: ['input', 'instructions'],
  isStream: ({ stream_format: format }) => format === 'sse',
  readToldUsage: readSpeechRequest,
  readFigures: readSpeechFigures,
  readText: () => ({ parts: [], whole: true }),
  createStreamReader: () => new EventStreamReader({ endings: ['speech.audio.done'], readFigures: readSpeechFigures }),
});
