import { makeUsage, maxTokens, readCount, type Usage } from '@agp/catalogue';
import type { OperationName } from '@agp/core/operations';
import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import type { Write, Writing } from '../../text/writing.ts';
import { asFigure, readFigures } from '../figures.ts';
import { type Operation, type ReportedCall, sumCalls } from '../operation.ts';
import { joinTiers } from '../tier.ts';
import * as bounds from './bounds.ts';
import { describeOperation, type Figures } from './describe-operation.ts';
import * as members from './members.ts';
import { EventStreamReader, noOutput } from './stream.ts';
import { readTokenUsage, readUsageFigures, usageTable } from './usage.ts';

const timing = /^(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3} --> (?:(\d{1,4}):)?(\d{1,2}):(\d{2}[.,]\d{3})/;

function readLength(transcript: string): number | null {
  const last = transcript
    .slice(-8_192)
    .split(/\r?\n/)
    .map((line) => timing.exec(line))
    .findLast((found) => found !== null);
  if (!last) return null;
  return Number(last[1] ?? 0) * 3_600 + Number(last[2]) * 60 + Number(last[3]?.replace(',', '.'));
}

function readTranscriptFigures(answer: unknown): Figures {
  const { usage, duration } = asObject(answer);
  const length = typeof answer === 'string' ? readLength(answer) : asFigure(duration);
  // Less than half a second is a length too, not the lack of one.
  const seconds = typeof length === 'number' && length > 0 ? Math.max(1, length) : length;
  const told = readUsageFigures(usage);
  if (told.usage !== null || readCount(seconds) === null) return told;
  return { ...told, usage: makeUsage({ inputAudioSeconds: seconds }) };
}

function readTranscript(answer: unknown): Writing {
  if (typeof answer !== 'string') return collectText(asObject(answer).text);
  if (!answer.includes(' --> ')) return collectText(answer);
  const spoken = answer
    .split(/\r?\n/)
    .filter((line) => line !== '' && line !== 'WEBVTT' && !/^\d{1,8}$/.test(line) && !timing.test(line));
  return collectText(spoken.join(' '));
}

function createTranscriptEventReader(): (frame: unknown, write: Write) => void {
  let wrote = false;
  return (frame, write) => {
    const { type, delta, text, id, segment_id: segment } = asObject(frame);
    if (type === 'transcript.text.delta') write(asName(segment ?? ''), asText(delta) ?? '');
    else if (type === 'transcript.text.segment') write(`segment ${asName(id)}`, asText(text) ?? '');
    else if (type === 'transcript.text.done' && !wrote) write('', asText(text) ?? '');
    else return;
    wrote = true;
  };
}

/** 16 kbit/s, the least recommended for speech (RFC 7587, 3.1.1): most sound is shorter, so this errs to the dear side. */
const bytesPerSecond = 2_000;

/** Sound that is given by its address alone, as with Groq and Mistral, is taken to last an hour. */
const unseenSeconds = 3_600;

function guessLength({ url, file_url: fileUrl, file_id: fileId }: JsonObject, size: number): Partial<Usage> {
  const unseen = url || fileUrl || fileId ? unseenSeconds : 0;
  return { inputAudioSeconds: Math.max(Math.ceil(size / bytesPerSecond), unseen) };
}

function describeTranscription(name: OperationName): Operation {
  return describeOperation({
    name,
    known: members.transcription,
    otherAnswers: 'text',
    input: ['prompt', 'keywords', 'known_speaker_names'],
    isStream: ({ stream }) => stream === true || stream === 'true',
    readToldUsage: guessLength,
    readFigures: readTranscriptFigures,
    readText: readTranscript,
    createStreamReader: () =>
      new EventStreamReader({
        endings: ['transcript.text.done'],
        readFigures: readTranscriptFigures,
        readText: createTranscriptEventReader(),
      }),
  });
}

export const transcriptions = describeTranscription('audio.transcriptions');
export const translations = describeTranscription('audio.translations');

/** 0.015 USD a minute at 12 USD a million tokens (OpenAI), and some 900 characters a minute. */
const spokenTokensPerCharacter = 1_250 / 900;

/** The oldest models are billed by the character, all others by tokens, which an answer of sound does not report. */
function readSpeechRequest({ model, input }: JsonObject): Partial<Usage> {
  const inputCharacters = asText(input)?.length ?? 0;
  if (/^tts\b/.test(asText(model) ?? '')) return { inputCharacters };
  const spoken = Math.round(inputCharacters * spokenTokensPerCharacter);
  return { inputCharacters, completionTokens: spoken, outputAudioTokens: spoken };
}

function readSpeechFigures(event: unknown): Figures {
  const { usage, ...notes } = readUsageFigures(asObject(event).usage);
  return { usage: usage && makeUsage({ ...usage, outputAudioTokens: usage.completionTokens }), ...notes };
}

export const speech = describeOperation({
  name: 'audio.speech',
  bounds: bounds.speech,
  known: members.speech,
  writesText: false,
  otherAnswers: 'media',
  input: ['input', 'instructions'],
  isStream: ({ stream_format: format }) => format === 'sse',
  readToldUsage: readSpeechRequest,
  readFigures: readSpeechFigures,
  readText: () => ({ parts: [], whole: true }),
  createStreamReader: () => new EventStreamReader({ endings: ['speech.audio.done'], readFigures: readSpeechFigures }),
});

/** Figures of an image model: its output is images unless details say that some is text. */
export function readPictureFigures(value: unknown): Figures {
  const { usage, ...notes } = readUsageFigures(value);
  const isPictures = usage !== null && !asObject(value).output_tokens_details;
  return { usage: isPictures ? makeUsage({ ...usage, outputImageTokens: usage.completionTokens }) : usage, ...notes };
}

export function readSvgCall(value: unknown): ReportedCall[] {
  const { model, reasoning_tokens: reasoningTokens } = asObject(value);
  const usage = readTokenUsage(value);
  return usage ? [{ model: asText(model), usage: makeUsage({ ...usage, reasoningTokens }) }] : [];
}

function readImageFigures(body: unknown): Figures {
  const { model, usage: given, svg_usage: svg, data } = asObject(body);
  const { usage, ...notes } = readPictureFigures(given);
  if (usage) return { ...sumCalls([{ model: asText(model), usage }, ...readSvgCall(svg)]), ...notes };
  // xAI says what it charged and counts nothing.
  const pictures = data === undefined ? 1 : asArray(data).length;
  return { usage: notes.charge === undefined ? null : makeUsage({ outputImages: pictures }), ...notes };
}

/** Requests come as JSON, or as forms with the images in them. */
function describeImages(name: OperationName, event: string): Operation {
  return describeOperation({
    name,
    bounds: bounds.images,
    known: members.images,
    writesText: false,
    input: ['prompt'],
    isStream: ({ stream }) => stream === true || stream === 'true',
    readToldUsage: ({ n }) => ({ outputImages: readCount(asFigure(n ?? 1)) ?? 0 }),
    readFigures: readImageFigures,
    readText: (answer) => collectText(asArray(asObject(answer).data).map((image) => asObject(image).revised_prompt)),
    createStreamReader: () => new EventStreamReader({ endings: [event], readFigures: readImageFigures }),
  });
}

export const imageGenerations = describeImages('images.generations', 'image_generation.completed');
export const imageEdits = describeImages('images.edits', 'image_edit.completed');
export const imageVariations = describeImages('images.variations', 'image_variation.completed');

/** Seconds of video, under the names of OpenAI, Azure and xAI. */
function countSeconds({ seconds, n_seconds: each, duration, n_variants: variants, n }: JsonObject): number | null {
  const length = readCount(asFigure(seconds ?? each ?? duration));
  return length && Math.min(length * (readCount(asFigure(variants ?? n)) || 1), maxTokens);
}

/** The tier by the shorter side; null if it is not told. */
function readResolution({ size, resolution, width, height }: JsonObject): string | null {
  const sides = width && height ? `${width}x${height}` : (asText(size) ?? asText(resolution) ?? '');
  const [, one, other] = /^(\d{2,5})x(\d{2,5})$/.exec(sides) ?? [];
  const found = one && other ? `${Math.min(Number(one), Number(other))}p` : sides.toLowerCase();
  return /^\d{1,5}[pk]$/.test(found) ? found : null;
}

/** The longest that a video is made unless the request says so. */
const unsaidSeconds = 8;

function readVideoFigures(value: unknown): Figures {
  const answer = asObject(value);
  const seconds = countSeconds(answer);
  if (answer.status === 'failed') return { usage: null, isUnbilled: true };
  const tier = readResolution(answer);
  const usage = seconds ? makeUsage({ outputVideoSeconds: seconds }) : null;
  return { usage, ...(tier && { serviceTier: tier }), ...readFigures(answer.usage, usageTable).notes };
}

/** A job that makes a video, billed by the second once it is taken on. */
export const videos = describeOperation({
  name: 'videos',
  stores: 'a video',
  known: members.videos,
  ...noOutput,
  input: ['prompt'],
  readToldUsage: (body): Partial<Usage> => ({ outputVideoSeconds: countSeconds(body) || unsaidSeconds }),
  readPriceTier: (body) => joinTiers(readResolution(body), []),
  readFigures: readVideoFigures,
});
