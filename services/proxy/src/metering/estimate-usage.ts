import type { Operation, ResponseReading } from '@agp/metering';
import { isForm } from '@agp/metering';
import { makeUsage, type Usage } from '@agp/pricing';
import type { ProxyContext } from '../context.ts';
import { toHolder } from '../head/to-holder.ts';
import type { AdmittedRequest, Answer, Body } from '../journey.ts';
import type { CallTexts } from './scan-request.ts';

/** Bytes for each token of what could not be read. */
const bytesPerToken = 4;

/** What is sent and holds no text is pictures or sound for the most part: it is never nothing, and is not all tokens. */
const maxUnread = 4_096;

/** What there is of a call to estimate it by. */
export interface Seen {
  answer: Answer;
  /** Null where no answer came. */
  reading: ResponseReading | null;
  /** The provider's figures, as far as they go and are believed: a stream that was cut may have told its input alone. */
  told: Usage | null;
  texts: CallTexts;
}

export interface Estimate {
  usage: Usage;
  /** All of the answer came and was read, and only one model can have made it: there is no more to know. */
  isKnown: boolean;
  /** The answer's bytes are taken for what was written, since neither figures nor text could be found in them. */
  isUnreadable: boolean;
}

/** Estimates what a call used, from what was sent and what was written. */
export async function estimateUsage(
  context: ProxyContext,
  { head, agent, body }: AdmittedRequest,
  operation: Operation,
  models: readonly string[],
  { answer, reading, told, texts }: Seen,
): Promise<Estimate> {
  const holder = toHolder(agent, head);
  const count = (text: CallTexts['request']) =>
    text ? context.estimator.countTokens(text, models[0] ?? '', holder) : 0;
  const asked = body.inspected?.toldUsage;
  const [readTokens, textTokens] = await Promise.all([
    told?.promptTokens || count(texts.request),
    count(reading?.uncountedText?.() ?? texts.answer),
  ]);
  const sentTokens = told?.promptTokens ? 0 : (asked?.promptTokens ?? 0);
  const promptTokens = readTokens + sentTokens || (countsUnread(body, textTokens) ? countUnread(body) : 0);

  const toldTokens = told?.completionTokens ?? asked?.completionTokens ?? 0;
  const isWhole = answer.outcome === 'completed' && reading !== null;
  const isEmpty = operation.writesText && textTokens + toldTokens === 0 && !reading?.failed;
  const isUnreadable =
    reading !== null && (reading.passedBy !== undefined || (isWhole && (!reading.inspected || isEmpty)));
  const unreadTokens = isUnreadable && operation.writesText ? Math.ceil((reading?.length ?? 0) / bytesPerToken) : 0;
  // Gemini tells its thoughts while the answer goes on; they are no part of the text.
  const written = Math.max(textTokens, unreadTokens) + (told?.reasoningTokens ?? 0);
  const completionTokens = Math.max(toldTokens, written);
  const hasEnded = isWhole && (reading.sawEnd || reading.failed || !answer.streamed);
  return {
    usage: makeUsage({ ...asked, ...told, promptTokens, completionTokens }),
    isKnown: hasEnded && !isUnreadable && models.length <= 1,
    isUnreadable,
  };
}

/** A form holds files, whose sound is billed by other measures once there is a transcript. */
function countsUnread({ inspected }: Body, textTokens: number): boolean {
  return inspected !== null && (textTokens === 0 || !isForm(inspected.contentType));
}

const countUnread = ({ inspected }: Body) =>
  Math.min(Math.ceil((inspected?.bytes.length ?? 0) / bytesPerToken), maxUnread);
