import { largestContext, largestOutput, makeUsage, type Usage } from '@agp/catalogue';
import type { ResponseReading } from '../answer/reading.ts';
import type { AnswerEnd, Call } from '../call.ts';
import { nameModel } from '../call-head.ts';
import type { Operation } from '../dialects/operation.ts';
import { isForm } from '../json/form.ts';
import type { MeteringParts } from '../metering-parts.ts';
import type { InspectedBody } from '../request/inspect-body.ts';
import type { CallTexts } from './scan-call.ts';

const bytesPerToken = 4;

/** A request without text is mostly pictures or sound, which take fewer tokens than one for four bytes. */
const maxUnread = 4_096;

/** Raw sound in the best quality that is common, 48 kHz in stereo, has so many bytes a second: hardly any file has more. */
const mostSoundBytes = 192_000;

interface EstimateBasis {
  end: AnswerEnd;
  reading: ResponseReading | null;
  told: Usage | null;
  texts: CallTexts;
}

interface Estimate {
  usage: Usage;
  isKnown: boolean;
  isUnreadable: boolean;
  /** Seconds of sound that the size of the request lets expect, since the answer tells no length; 0 if it does. */
  guessedSeconds: number;
}

export async function estimateUsage(
  { estimator, findModelBounds }: MeteringParts,
  { head, body, holder }: Call,
  operation: Operation,
  models: readonly string[],
  { end, reading, told, texts }: EstimateBasis,
): Promise<Estimate> {
  const count = (text: CallTexts['request']) => (text ? estimator.countTokens(text, models[0] ?? '', holder) : 0);
  const asked = body?.toldUsage;
  const [readTokens, textTokens] = await Promise.all([
    told?.promptTokens || count(texts.request),
    count(reading?.uncountedText?.() ?? texts.answer),
  ]);
  const sentTokens = told?.promptTokens ? 0 : (asked?.promptTokens ?? 0);
  const bounds = (models.length === 0 ? ['unknown'] : models).map((model) => findModelBounds(nameModel(head, model)));
  const answers = body?.answers ?? 1;
  // Each input of several has a context of its own, as embeddings have.
  const mostInput = operation.writesText
    ? answers * Math.max(...bounds.map((bound) => bound?.largestInput ?? largestContext))
    : Number.POSITIVE_INFINITY;
  const mostOutput = answers * Math.max(largestOutput, ...bounds.map((bound) => bound?.largestOutput ?? 0));
  const guessedTokens = readTokens + sentTokens || (countsUnread(body, textTokens) ? countUnread(body) : 0);
  const promptTokens = told?.promptTokens || Math.min(guessedTokens, mostInput);

  const toldTokens = told?.completionTokens ?? asked?.completionTokens ?? 0;
  const isWhole = end.outcome === 'completed' && reading !== null;
  const isEmpty = operation.writesText && textTokens + toldTokens === 0 && !reading?.failed;
  const isUnreadable =
    reading !== null && (reading.passedBy !== undefined || (isWhole && (!reading.inspected || isEmpty)));
  const unreadTokens = isUnreadable && operation.writesText ? Math.ceil((reading?.length ?? 0) / bytesPerToken) : 0;
  // Gemini reports thoughts while the answer streams; they are not in the text.
  const written = Math.max(textTokens, unreadTokens) + (told?.reasoningTokens ?? 0);
  const completionTokens = Math.max(told?.completionTokens ?? 0, Math.min(Math.max(toldTokens, written), mostOutput));
  // What runs in the background is written after its answer, from context that the request may only name.
  const hasEnded = isWhole && !body?.inBackground && (reading.sawEnd || reading.failed || !end.streamed);
  // Subtitles tell the end of what was said, and the sound may go on in silence.
  const toldSeconds = told?.inputAudioSeconds ?? 0;
  const guessedSeconds = toldSeconds > 0 ? 0 : (asked?.inputAudioSeconds ?? 0);
  const leastSeconds = asked?.inputAudioSeconds ? Math.floor((body?.bytes.length ?? 0) / mostSoundBytes) : 0;
  const inputAudioSeconds = guessedSeconds || Math.max(toldSeconds, leastSeconds);
  return {
    usage: makeUsage({ ...asked, ...told, promptTokens, completionTokens, inputAudioSeconds }),
    guessedSeconds,
    isKnown: hasEnded && !isUnreadable && models.length <= 1,
    isUnreadable,
  };
}

function countsUnread(body: InspectedBody | null, textTokens: number): boolean {
  return body !== null && (textTokens === 0 || !isForm(body.form.contentType));
}

const countUnread = (body: InspectedBody | null) =>
  Math.min(Math.ceil((body?.bytes.length ?? 0) / bytesPerToken), maxUnread);
