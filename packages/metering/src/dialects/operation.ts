import { makeUsage, type Usage } from '@agp/pricing';
import type { RequestBounds } from './bounds.ts';

/** The wire formats that providers speak. */
export type ProviderApi = 'openai' | 'anthropic' | 'gemini';

/** Text that people and models wrote, without files. */
export interface Writing {
  /** Separate texts, in order: none continues the one before it. */
  parts: readonly string[];
  /**
   * Strings of the same body that no model reads or wrote: names, ids, addresses, additions of the provider. They are
   * searched for PII and never counted as tokens. Absent where they were not gathered.
   */
  beside?: readonly string[];
  /** False where some of it was cut off at a bound, or could not be read. */
  whole: boolean;
  /** Given for the text of a request that was read already. */
  of?: 'request';
}

/** Adds to one of the texts that a model writes side by side: a choice's content, a tool call's arguments ... */
export type Write = (channel: string, text: string) => void;

/** The model call that a request asks for. */
interface RequestReading {
  /** The model asked for, from the body or the path; null where neither names one. */
  requestedModel: string | null;
  /** A streamed answer is asked for. */
  stream: boolean;
  /** Usage that the request alone determines, for answers that report none. */
  toldUsage: Partial<Usage>;
  /** It is answered before it is done: its figures come with a later answer, if ever. */
  inBackground?: boolean;
  /** The text that the model is to read. Walks the body at each call. */
  inputText(): Writing;
}

/** One of several model calls that one answer reports, such as the results of a batch. */
export interface ReportedCall {
  model: string | null;
  usage: Usage;
}

/** A batch holds at most this many; further ones are not read. */
export const maxReportedCalls = 100_000;

/** Takes the calls of a file of results one by one, so that none is kept. */
export type OnCall = (call: ReportedCall) => void;

/** The contents of a whole answer. */
export interface AnswerReading {
  /** The model that the provider says answered. */
  model: string | null;
  /** The provider's own figures, summed where there are several calls; null where it gave none that can be used. */
  usage: Usage | null;
  /** The service tier that the provider says it answered with, in its own word; null where it says none. */
  serviceTier: string | null;
  /** The calls one by one, where the answer reports several: each is priced by its own model. */
  calls?: readonly ReportedCall[];
  /** The text that the model wrote, cut at a bound. */
  outputText(): Writing;
}

/** The contents of a stream, read to its end or until it was cut. */
export interface StreamReading extends AnswerReading {
  /** The stream's own last frame came (`[DONE]`, `message_stop`, `response.completed`, a finish reason). */
  sawEnd: boolean;
  /** The provider reported an error in the stream. */
  failed: boolean;
  /**
   * `usage` counts the whole output. False if `usage` is null, or if the stream was cut while its figures counted only the input
   * and little of the output.
   */
  usageIsFinal: boolean;
  /** The stream was longer than the part that we read. */
  isCutShort?: boolean;
  /** The text without shown reasoning, where `usage` already counts the reasoning. */
  uncountedText?(): Writing;
  /** The other strings of its messages, as in `beside` of {@link Writing}. */
  besideText?(): Writing;
}

/** Takes a stream's messages one by one. Never throws, whatever the provider sends. */
export interface StreamReader {
  /**
   * @param event the frame's event name, empty where it has none
   * @param data the frame's data, each byte as one character (latin1), so that it is decoded only where it is read
   */
  push(event: string, data: string): void;
  /** Valid once; the reader is finished after it. */
  end(): StreamReading;
}

/** One kind of model call of one API, with pure mappings of what goes over its wire. Never throws on any body. */
export interface Operation {
  readonly api: ProviderApi;
  /** A stable name for metrics: `chat.completions`, `messages`, `generateContent` ... */
  readonly name: string;
  /** Streams give usage only where the request has `stream_options.include_usage` (see `spliceStreamUsage`). */
  readonly usageNeedsAsking: boolean;
  /** How an answer that is no SSE is read: as one object, as an array of a stream's frames, or as a frame a line. */
  readonly answerFormat: 'object' | 'array' | 'lines';
  /**
   * Answers that are neither JSON nor a stream: plain `text` that the model wrote, or `media`, which holds no text. Absent if the
   * operation has no such answers.
   */
  readonly otherAnswers?: 'text' | 'media';
  /**
   * Names, with their quotes, of figures within the data of an answer: an answer that has any is parsed whole, however large.
   * Absent where all figures are at the end.
   */
  readonly figuresWithin?: readonly string[];
  /** The provider never bills it. */
  readonly isFree: boolean;
  /** It starts work that is billed with its results, which another request fetches. */
  readonly isBilledLater?: boolean;
  /** Its output is billed as text, so that an answer which cannot be read is estimated by its bytes. */
  readonly writesText: boolean;
  /** What its members may cost; absent if nothing bounds that. */
  readonly bounds?: RequestBounds | undefined;
  /**
   * The provider's id of results that it bills once, however often they are fetched. Absent where each answer is billed.
   */
  billedOnce?(path: string): string | null;
  /** Its answer may repeat results that are billed where they are fetched one by one. */
  readonly showsOtherBills?: boolean;
  /**
   * @param body the parsed JSON body, or the text fields of a form; anything where it is not an object
   * @param path the provider's path, without the query
   * @param size bytes of the whole body, files included
   */
  readRequest(body: unknown, path: string, size?: number): RequestReading;
  /** @param body the parsed JSON answer, or the whole of a plain text */
  readAnswer(body: unknown): AnswerReading;
  /** @param onCall called with each call of an answer that is read line by line */
  createStreamReader(onCall?: OnCall): StreamReader;
}

/** Finds the operation of one API that a method and a path of the provider ask for. */
export type MatchPath = (path: string, method: 'GET' | 'POST') => Operation | null;

const names = Object.keys(makeUsage({})) as (keyof Usage)[];

/** Adds what a call used to a sum, which is changed. Sums may pass the bound that a single call's figures are held to. */
export function addUsage(sum: Usage, usage: Usage): void {
  for (const name of names) sum[name] += usage[name];
}

/** The same where there may be no sum yet. */
export function addToUsage(sum: Usage | null, usage: Usage): Usage {
  if (sum === null) return { ...usage };
  addUsage(sum, usage);
  return sum;
}

/** The sum of an answer's calls, and the calls themselves where there are several. */
export function sumCalls(calls: readonly ReportedCall[]): { usage: Usage | null; calls?: readonly ReportedCall[] } {
  let sum: Usage | null = null;
  for (const { usage } of calls) sum = addToUsage(sum, usage);
  return calls.length > 1 ? { usage: sum, calls } : { usage: sum };
}

const models = /(?:\/|%2f)(models|tunedModels)(?:\/|%2f)/gi;

/** Undoes the escapes that some clients write in a path: of the colon before a verb, and of the slashes of `models/{model}`. */
export function toPlainPath(path: string): string {
  return path.includes('%') ? path.replace(/%3a/gi, ':').replace(models, '/$1/') : path;
}

/** A name in a path, such as that of a model, without its escapes. */
export function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
