import { largestContext, largestOutput, makeUsage, type Usage } from '@agp/catalogue';
import { bytesPerToken } from '../batched-calls.ts';
import type { Measurement } from '../call.ts';
import { nameModel } from '../call-head.ts';
import { guessUnits } from '../guarded.ts';
import { isForm } from '../json/form.ts';
import type { InspectedBody } from '../request/inspect-body.ts';
import { type Answered, type Bill, BillCalls, doubtOf, findTiers, readBill } from './bill-calls.ts';
import type { CallTexts } from './scan-call.ts';

/** A request without text is mostly pictures or sound, which take fewer tokens than one for four bytes. */
const maxUnread = 4_096;

/** Raw sound in the best quality that is common, 48 kHz in stereo, has so many bytes a second: hardly any file has more. */
const mostSoundBytes = 192_000;

interface Estimate {
  usage: Usage;
  isKnown: boolean;
  isUnreadable: boolean;
  /** Seconds of sound that the size of the request lets expect, since the answer tells no length; 0 if it does. */
  guessedSeconds: number;
}

/** What an answer comes to whose figures are missing, or cannot be. */
export async function measureUntold(answered: Answered, models: readonly string[]): Promise<Partial<Measurement>> {
  const { parts, call, reading } = answered;
  const serviceTier = findTiers(call, reading);
  const billOne = (usage: Usage, charge?: number): Bill => {
    const bill = new BillCalls(parts, call, { models, serviceTier });
    bill.add({ model: null, usage, charge });
    return bill.read();
  };
  const claimed = reading?.usage ? billOne(reading.usage) : null;
  const told = claimed?.disbelieved ? null : (claimed?.usage ?? null);
  const estimate = await estimateUsage(answered, models, told);
  // A charge may come without figures that can be used.
  const bill = billOne(estimate.usage, claimed?.disbelieved ? undefined : reading?.charge);
  const { nanoUsd, isCapped } = call.reservation;
  const { guessedSeconds } = estimate;
  const ofSound = billOne(makeUsage({ inputAudioSeconds: guessedSeconds }));
  const isGuess = guessedSeconds > 0 && ofSound.unpriced.size === 0 && ofSound.costNanoUsd > 0;
  const isUncertain = isGuess || !estimate.isKnown || claimed?.disbelieved;
  const costNanoUsd = Math.max(bill.costNanoUsd, isCapped && isUncertain ? nanoUsd : 0);
  // The provider bills what a request in the background refers to, and no figures of that may ever come.
  const isUnseen = reading !== null && told === null && call.body?.inBackground && call.body.hasReference;
  const unread = estimate.isUnreadable || isUnseen ? doubtOf('unreadable') : null;
  const doubt = claimed?.disbelieved ? doubtOf('claim_too_large', claimed.disbelieved) : unread;
  return { ...readBill(bill), costNanoUsd, usageSource: 'estimated', doubt };
}

async function estimateUsage(
  { parts, call, end, reading, texts }: Answered,
  models: readonly string[],
  told: Usage | null,
): Promise<Estimate> {
  const { head, body, holder } = call;
  const count = (text: CallTexts['request']) => (text ? parts.estimator.countTokens(text, models[0] ?? '', holder) : 0);
  const asked = body?.toldUsage;
  const writesText = head.operation?.writesText === true;
  const [readTokens, textTokens] = await Promise.all([
    told?.promptTokens || count(texts.request),
    count(reading?.uncountedText?.() ?? texts.answer),
  ]);
  const sentTokens = told?.promptTokens ? 0 : (asked?.promptTokens ?? 0);
  const bounds = (models.length === 0 ? ['unknown'] : models).map((model) =>
    parts.findModelBounds(nameModel(head, model)),
  );
  const answers = body?.answers ?? 1;
  // Each input of several has a context of its own, as embeddings have.
  const mostInput = writesText
    ? answers * Math.max(...bounds.map((bound) => bound?.largestInput ?? largestContext))
    : Number.POSITIVE_INFINITY;
  const mostOutput = answers * Math.max(largestOutput, ...bounds.map((bound) => bound?.largestOutput ?? 0));
  const guessedTokens = readTokens + sentTokens || (countsUnread(body, textTokens) ? countUnread(body) : 0);
  const promptTokens = told?.promptTokens || Math.min(guessedTokens, mostInput);

  const toldTokens = told?.completionTokens ?? asked?.completionTokens ?? 0;
  const isWhole = end.outcome === 'completed' && reading !== null;
  const isEmpty = writesText && textTokens + toldTokens === 0 && !reading?.failed;
  const isUnreadable =
    reading !== null && (reading.passedBy !== undefined || (isWhole && (!reading.inspected || isEmpty)));
  const unreadTokens = isUnreadable && writesText ? Math.ceil((reading?.length ?? 0) / bytesPerToken) : 0;
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
    usage: makeUsage({
      ...{
        ...asked,
        ...told,
        ...guessUnits(head, body, completionTokens * bytesPerToken, told !== null && reading?.tellsUnits),
      },
      ...{ promptTokens, completionTokens, inputAudioSeconds },
    }),
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
