import { makeUsage, type Usage } from '@agp/catalogue';
import type { ApiError } from '@agp/core/errors';
import type { EventTool } from '@agp/core/events';
import type { OperationName, ProviderApi } from '@agp/core/operations';
import type { Frame } from '../json/frame.ts';
import { asObject, asText, type JsonObject } from '../json/members.ts';
import type { Writing } from '../text/writing.ts';
import type { RequestBounds } from './bounds.ts';
import type { FigureNotes } from './figures.ts';
import type { KnownMembers } from './known-members.ts';
import type { AnswerNaming } from './named-tools.ts';
import type { Storing } from './stored.ts';

export type { ProviderApi };

export interface RequestReading {
  requestedModel: string | null;
  stream: boolean;
  toldUsage: Partial<Usage>;
  /** What its price depends on beside the service tier, such as the resolution of a video. */
  priceTier?: string | null;
  /** It is answered before it is done: its figures come with a later answer, if ever. */
  inBackground?: boolean;
  /** Its searches cost as those of the tool that OpenAI offered first, also if the answer does not repeat the tools. */
  searchesByPreview?: boolean;
  inputText(): Writing;
}

export interface ReportedCall extends Pick<FigureNotes, 'charge'> {
  model: string | null;
  usage: Usage;
  /** How many requests the usage is the sum of; 1 if not given. */
  requests?: number;
  /** In place of the answer's. */
  serviceTier?: string;
}

/** A batch holds at most this many; further ones are not read. */
export const maxReportedCalls = 100_000;

export type OnCall = (call: ReportedCall) => void;

/** What one thing of a list used: it is billed once, wherever it is first shown. */
export interface ListedBill {
  id: string;
  calls: readonly ReportedCall[];
}

export const listBill = (id: unknown, calls: readonly ReportedCall[] = []): ListedBill[] =>
  typeof id === 'string' && id !== '' && calls.length > 0 ? [{ id, calls }] : [];

export interface AnswerReading extends FigureNotes {
  model: string | null;
  /** The provider's own figures, summed if there are several calls; null if none can be used. */
  usage: Usage | null;
  serviceTier: string | null;
  calls?: readonly ReportedCall[];
  /** Of a list that shows what other requests used. */
  bills?: readonly ListedBill[];
  /** The provider bills none of it, whatever its figures say: it refused before any output. */
  isUnbilled?: boolean;
  /** No model ran: its zeros are figures, and none that are missing. */
  ranNone?: boolean;
  /** Its figures have what its guardrail bills, if that is nothing too. */
  tellsUnits?: boolean;
  /** What it answers for was served, and it does not tell what that used. */
  isUntold?: boolean;
  /** Tools that it called, by name. */
  called?: readonly EventTool[];
  /** It says itself that it was made in the background, even if the request did not ask for that. */
  isOfBackground?: boolean;
  /** The provider's id of what may go on after this answer. */
  id?: string | null;
  outputText(): Writing;
}

/** Of an answer that bills nothing. */
export const nothingTold: AnswerReading = {
  model: null,
  usage: null,
  serviceTier: null,
  outputText: () => ({ parts: [], whole: true }),
};

export interface StreamReading extends AnswerReading {
  /** The stream's own last frame came (`[DONE]`, `message_stop`, `response.completed`, a finish reason). */
  sawEnd: boolean;
  failed: boolean;
  /** `usage` counts the whole output; false if the stream was cut while its figures counted little of it. */
  usageIsFinal: boolean;
  isCutShort?: boolean;
  /** The text without shown reasoning, if `usage` already counts the reasoning. */
  uncountedText?(): Writing;
  besideText?(): Writing;
}

/** Takes a stream's messages one by one. Never throws, whatever the provider sends. */
export interface StreamReader {
  /** The last frame came, as far as is known by now: see {@link StreamReading.sawEnd}. */
  readonly sawEnd?: boolean;
  push(frame: Frame): void;
  /** In place of `push`, for a frame that is too long to be kept. */
  pushEnds?(event: string, head: string, tail: Buffer): void;
  end(): StreamReading;
}

/** What an API keeps of a call for whoever pays it. */
export interface CallMetadata {
  isInBody: boolean;
  /**
   * Puts names of ours into it, beside the caller's own, and changes no other byte.
   * @param own pairs of name and value @throws ApiError `malformed_request` if servers may read the caller's differently
   */
  write(sent: SentCall, own: readonly (readonly [name: string, value: string])[]): SentCall;
}

/** What goes over the wire of a call. */
export interface SentCall {
  headers: Readonly<Record<string, string | string[]>>;
  body: Buffer;
}

/** The guardrail of AWS that a call asks for, `id:version`; false for none, null for what AWS would not take or cannot be read. */
export type AskedGuardrail = string | false | null;

/** One kind of model call of one API, with pure mappings of what goes over its wire. Never throws on any body. */
export interface Operation {
  readonly api: ProviderApi;
  readonly name: OperationName;
  /** Streams give usage only if the request has `stream_options.include_usage` (see `spliceStreamUsage`). */
  readonly usageNeedsAsking: boolean;
  /** How an answer that is no SSE is read: as one object, as an array of a stream's frames, or as a frame a line. */
  readonly answerFormat: 'object' | 'array' | 'lines';
  /** Answers that are neither JSON nor a stream: `text` that the model wrote, or `media`, which holds none. */
  readonly otherAnswers?: 'text' | 'media';
  /**
   * Quoted names of figures within the data: an answer with any is parsed whole, however large. Absent if all are at the end.
   */
  readonly figuresWithin?: readonly string[];
  /** A member that lets another account pay, so that the bill would not be ours. */
  readonly paidElsewhere?: string;
  readonly isFree: boolean;
  readonly isBilledLater?: boolean;
  /** Its output is billed as text, so that an answer which cannot be read is estimated by its bytes. */
  readonly writesText: boolean;
  readonly bounds?: RequestBounds | undefined;
  /** Members of its body that name nothing, or that readers of names read; absent if its body names neither a model nor a tool. */
  readonly known?: KnownMembers;
  /** The same of the calls that a body contains, if they are not its own members. */
  readonly knownOfCalls?: KnownMembers;
  /** The provider's id of results that it bills once, however often they are fetched; absent if each answer is billed. */
  billedOnce?(path: string): string | null;
  /** It shows what an earlier request started in the background; anything else there was billed when it was made. */
  readonly settlesBackground?: boolean;
  /** Where a POST cancels what a request at `path` started in the background. */
  cancelPath?(path: string, id: string): string;
  /** Its answer may repeat results that are billed when fetched one by one. */
  readonly showsOtherBills?: boolean;
  /** @param body the parsed JSON, or the text fields of a form @param size bytes of the whole body */
  readRequest(body: unknown, path: string, size?: number): RequestReading;
  /** The calls that a batch contains; null if they are stored elsewhere. Absent if the body is one call. */
  listCalls?(body: JsonObject): readonly JsonObject[] | null;
  /** What bounds each of these calls. */
  readonly batchedBounds?: RequestBounds;
  /** The tools that a call offers its model, wherever in its body. Absent if it can offer none. @throws UnreadTool */
  readTools?(body: JsonObject): EventTool[];
  /** The member of its body whose `tools` they are, if these are no member of the body itself. */
  readonly toolsWithin?: string;
  /** Models beside `model` that a call names and that may answer; null for one that is left open. */
  listModels?(body: JsonObject): (string | null)[];
  /** How it keeps what a call sends; in words if it always does, absent if it never does unless the call says so. */
  readonly stores?: string | Storing | undefined;
  /** How it asks for a guardrail of AWS: in headers, at AWS alone if it is another's API, or in its body. Absent if it can ask for none. */
  readonly guardrail?: 'headers' | 'headers at AWS' | ((body: JsonObject) => AskedGuardrail);
  /** The member of its calls that says where they are to be processed. */
  readonly geoMember?: string;
  /** False if it only shows, ends or keeps what an earlier request made. */
  readonly runsModel?: false;
  /** Absent if its answers name neither a model nor a tool. */
  readonly answerNames?: AnswerNaming;
  /** Absent if its API keeps none of a call, or not where its operator reads it. */
  readonly metadata?: CallMetadata;
  readAnswer(body: unknown): AnswerReading;
  createStreamReader(onCall?: OnCall): StreamReader;
}

/** What we say in a provider's place: as an answer, or at the end of a stream, with the status that an answer would have. */
export type ToldRefusal = Pick<ApiError, 'code' | 'message' | 'status'>;

/** A URL in answers that people or SDKs call next, with what they show the proxy. */
interface Link {
  /** Paths of requests whose answers hold it. */
  at: RegExp;
  /** The provider's own path in it. */
  path: RegExp;
}

/** A wire format: all that changes with a vendor is reached by this. */
export interface Dialect {
  /** Finds the operation that a method and a path of the provider ask for. */
  match(path: string, method: 'GET' | 'POST'): Operation | null;
  /** Paths, in lower case, whose answers hold a credential of the provider or lead to it past the proxy. */
  credentialPaths: RegExp;
  /** Paths, in lower case, of agents that run at the provider: no answer tells what they spend, and no block reaches them. */
  hostedAgentPaths: RegExp;
  /** Parts of paths, in lower case, that keep what they are sent. */
  keepingPaths: RegExp;
  links: readonly Link[];
  /** Members of requests that hold a conversation, in the order in which they are read. */
  conversation: readonly string[];
  /** The header in which its SDKs send a key. */
  keyHeader(apiKey: string): Readonly<Record<string, string>>;
  /** All that runs a model there is an operation: what is none is refused. */
  isClosed?: true;
  /** The body of an answer which the provider's own SDK raises as an error. */
  formatRefusal(refusal: ToldRefusal): string;
  /** Another status than the refusal's, and headers, if its SDKs go by them. */
  describeRefusal?(refusal: ToldRefusal): { status: number; headers: Readonly<Record<string, string>> };
  /** The same for the end of a stream; it closes a frame that was cut. @param asArray of frames, not SSE */
  formatStreamError(refusal: ToldRefusal, operation: Operation | null, asArray: boolean): string;
}

/** What holds of most operations. */
export const usual = { usageNeedsAsking: false, answerFormat: 'object', isFree: false, writesText: true } as const;

const names = Object.keys(makeUsage({})) as (keyof Usage)[];

/** Adds what a call used to a sum, which is changed. Sums may pass the bound that a single call's figures are held to. */
export function addUsage(sum: Usage, usage: Usage): void {
  for (const name of names) sum[name] += usage[name];
}

export function addToUsage(sum: Usage | null, usage: Usage): Usage {
  if (sum === null) return { ...usage };
  addUsage(sum, usage);
  return sum;
}

export function sumCalls(calls: readonly ReportedCall[]): { usage: Usage | null; calls?: readonly ReportedCall[] } {
  let sum: Usage | null = null;
  for (const { usage } of calls) sum = addToUsage(sum, usage);
  return calls.length > 1 ? { usage: sum, calls } : { usage: sum };
}

export const toCancelPath = (path: string, id: string): string => `${path.replace(/\/$/, '')}/${id}/cancel`;

const models = /(?:\/|%2f)(models|tunedModels)(?:\/|%2f)/gi;

/** Undoes the escapes that some clients write in a path: of the colon before a verb, and of the slashes of `models/{model}`. */
export function toPlainPath(path: string): string {
  return path.includes('%') ? path.replace(/%3a/gi, ':').replace(models, '/$1/') : path;
}

export function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** States, of any vendor and in lower case, in which a job goes on. */
const running = new Set(
  `created validating queued pending running in_progress processing finalizing cancelling
  cancellation_requested`.split(/\s+/),
);

export const isRunning = (state: unknown): boolean => typeof state === 'string' && running.has(state.toLowerCase());

/**
 * Shows what an operation started in the background, and bills it once it is done.
 * @param target has the id as its first group @param isOfBackground false if only the earlier request can tell
 */
export function describeLater(
  operation: Operation,
  target: RegExp,
  isOfBackground: (body: JsonObject) => boolean,
): Operation {
  return {
    ...operation,
    name: `${operation.name}.get` as OperationName,
    bounds: undefined,
    stores: undefined,
    settlesBackground: true,
    runsModel: false,
    billedOnce: (path) => target.exec(path)?.[1] ?? null,
    readAnswer(value) {
      const body = asObject(value);
      const reading = { ...operation.readAnswer(body), isOfBackground: isOfBackground(body) };
      if (isRunning(body.status)) return { ...reading, usage: null };
      const hasFailed = asText(body.status)?.toLowerCase() === 'failed' && reading.usage === null;
      return hasFailed ? { ...reading, isUnbilled: true } : reading;
    },
  };
}
