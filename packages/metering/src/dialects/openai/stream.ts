import { isFinal } from '@agp/core/errors';
import { Frame } from '../../json/frame.ts';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import type { Write, Writing } from '../../text/writing.ts';
import { FrameReader } from '../frame-reader.ts';
import { addToUsage, type Operation, type ReportedCall, type StreamReading, type ToldRefusal } from '../operation.ts';
import type { Figures } from './describe-operation.ts';
import { type ExecutedTools, readCompletionFigures } from './usage.ts';

/**
 * A frame fails in the forms of many servers: `error` in it (OpenAI), in a choice or as finish reason (OpenRouter), in
 * `x_groq`, or by its event (LM Studio), `type` (Responses) or `object` (vLLM).
 */
export function isErrorFrame(event: string, frame: JsonObject): boolean {
  const { error, object, type, x_groq: ofGroq, choices } = frame;
  if (event === 'error' || error || object === 'error' || type === 'error' || asObject(ofGroq).error) return true;
  return asArray(choices).some((choice) => {
    const { error: ofChoice, finish_reason: reason } = asObject(choice);
    return Boolean(ofChoice) || reason === 'error';
  });
}

/** Frames with figures, an end or an error. Inside of text the quotes would be escaped, so this is never fooled by it. */
const telling =
  /"(?:usage"\s*:\s*\{|executed_tools"\s*:\s*\[|error"\s*:\s*[{"]|finish_reason"\s*:\s*"[^"]|(?:object|type)"\s*:\s*"error")/;

/**
 * The last chunk has the usage, if it was asked for. Streams end with `[DONE]`, or on servers that leave it out with a finish
 * reason after which no choice goes on.
 */
export class CompletionStreamReader extends FrameReader {
  readonly #readFrame: (frame: unknown, write: Write) => void;
  #usageIsWhole = false;
  #isFinished = false;
  #sawDone = false;
  readonly #executed: ExecutedTools = new Map();

  constructor(readFrame: (frame: unknown, write: Write) => void) {
    super(readFrame);
    this.#readFrame = readFrame;
  }

  push(sent: Frame): void {
    const { event, data } = sent;
    if (data === '[DONE]') {
      this.#sawDone = true;
      this.sawEnd = true;
      return;
    }
    this.text.add(sent);
    if (this.model !== null && !this.#isFinished && event !== 'error' && !telling.test(data)) return;
    const frame = sent.object();
    this.model ??= asText(frame.model);
    this.serviceTier = asText(frame.service_tier) ?? this.serviceTier;
    this.failed ||= isErrorFrame(event, frame);
    const choices = asArray(frame.choices);
    // One choice may end long before another.
    if (choices.some((choice) => asText(asObject(choice).finish_reason) !== null)) this.#isFinished = true;
    else if (this.#isFinished && this.#writesOn(frame)) this.#isFinished = false;
    this.sawEnd = this.#sawDone || this.#isFinished;
    const { usage, calls, ...notes } = readCompletionFigures(frame, this.model, this.#executed);
    this.note(notes);
    if (usage === null) return;
    // A last frame may say 0 after the figures came.
    if (this.usage !== null && usage.promptTokens + usage.completionTokens === 0) return;
    this.usage = usage;
    this.calls = calls;
    // Some servers send running figures on every chunk: only those at the end are whole.
    this.#usageIsWhole = choices.length === 0 || this.#isFinished;
  }

  protected override isUsageFinal(): boolean {
    return this.#usageIsWhole || this.#sawDone;
  }

  #writesOn(frame: JsonObject): boolean {
    let wrote = false;
    this.#readFrame(frame, (_channel, text) => {
      wrote ||= text !== '';
    });
    return wrote;
  }
}

interface StreamEvents {
  endings: readonly string[];
  readFigures(frame: unknown): Figures;
  readText?(frame: unknown, write: Write): void;
}

const maxCalls = 1_000;

const error = /"(?:error"\s*:\s*[{"]|type"\s*:\s*"error")/;

/** Pictures and sound, which take long to parse and hold no figures. */
const media = /"(?:b64_json|audio)"\s*:\s*"[^"]*"/g;

const maxWords = 4 * 1024;

export class EventStreamReader extends FrameReader {
  readonly #events: StreamEvents;
  readonly #reported: ReportedCall[] = [];
  #hasOthers = false;

  constructor(events: StreamEvents) {
    super(events.readText ?? (() => undefined));
    this.#events = events;
  }

  push(sent: Frame): void {
    const { event, data } = sent;
    const words = data.length > maxWords ? new Frame(event, data.replace(media, '"media":""')) : sent;
    this.text.add(words);
    const ends = this.#events.endings.some((type) => type === event || data.includes(`"${type}"`));
    if (ends || event === 'error' || error.test(data)) {
      const frame = words.object();
      this.failed ||= isErrorFrame(event, frame);
      if (ends) this.#add(this.#events.readFigures(frame));
    }
    this.sawEnd ||= ends || data === '[DONE]';
  }

  override end(): StreamReading {
    if (this.#hasOthers) this.calls = this.#reported;
    return super.end();
  }

  #add({ usage, calls, ...notes }: Figures): void {
    this.note(notes);
    if (usage === null) return;
    this.usage = addToUsage(this.usage, usage);
    this.#hasOthers ||= calls !== undefined || notes.charge !== undefined;
    if (this.#reported.length < maxCalls)
      this.#reported.push(...(calls ?? [{ model: null, usage, charge: notes.charge }]));
  }
}

const errorTypes: Readonly<Record<number, string>> = { 401: 'authentication_error', 403: 'permission_error' };

function describeRefusal(refusal: ToldRefusal) {
  const { code, message, status } = refusal;
  // Clients that know the word for a cap do not ask again.
  const limit = isFinal(refusal) ? 'insufficient_quota' : 'rate_limit_error';
  const other = status < 500 ? 'invalid_request_error' : 'server_error';
  return { message, type: status === 429 ? limit : (errorTypes[status] ?? other), code };
}

export const formatRefusal = (refusal: ToldRefusal): string => JSON.stringify({ error: describeRefusal(refusal) });

export function formatStreamError(refusal: ToldRefusal, operation: Operation | null): string {
  const error = { ...describeRefusal(refusal), param: null };
  const { code, message, param } = error;
  // SDKs look for `error` in any frame; the Responses API has an event of its own as well.
  const isResponse = operation?.name === 'responses';
  const data = isResponse ? { type: 'error', code, message, param, error } : { error };
  return `\n\n${isResponse ? formatFailedResponse(refusal) : ''}event: error\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Codex shows no error but this one, and asks again unless it is for the prompt. */
function formatFailedResponse(refusal: ToldRefusal): string {
  const error = { code: isFinal(refusal) ? 'invalid_prompt' : 'server_error', message: refusal.message };
  const data = { type: 'response.failed', response: { object: 'response', status: 'failed', error } };
  return `event: response.failed\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Operations that write no text and do not stream. */
export const noOutput = {
  writesText: false,
  readText: (): Writing => ({ parts: [], whole: true }),
  createStreamReader: () => new CompletionStreamReader(() => undefined),
};
