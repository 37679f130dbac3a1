import { makeUsage } from '@agp/pricing';
import {
  asArray,
  asName,
  asObject,
  asText,
  findTrailingMembers,
  type JsonObject,
  parseFrame,
} from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import type { Write, Writing } from '../../text/writing.ts';
import { FrameReader } from '../frame-reader.ts';
import { type ReportedCall, sumCalls } from '../operation.ts';
import type { Figures } from './describe-operation.ts';
import { readImageUsage, readSvgCall } from './media.ts';
import { isErrorFrame } from './stream.ts';
import { readTokenUsage } from './usage.ts';

/** The model that makes images if the tool's description names none (API reference, `tools[].model`). */
const defaultImageModel = 'gpt-image-2';

const maxImages = 1_000;

/** Searches that are billed: the provider's own count, else the calls that searched; opening a page costs nothing. */
function countSearches({ tool_usage: tools, output }: JsonObject): unknown {
  const counted = asObject(asObject(tools).web_search).num_requests;
  if (typeof counted === 'number') return counted;
  return asArray(output).filter((value) => {
    const { type, status, action } = asObject(value);
    return type === 'web_search_call' && status !== 'failed' && (asObject(action).type ?? 'search') === 'search';
  }).length;
}

function readImageCalls({ tool_usage: used, tools, output }: JsonObject): ReportedCall[] {
  const usage = readImageUsage(asObject(used).image_gen);
  const tool = asArray(tools).find((each) => asObject(each).type === 'image_generation');
  const model = asText(asObject(tool).model) ?? defaultImageModel;
  const made = usage && usage.promptTokens + usage.completionTokens > 0 ? [{ model, usage }] : [];
  const drawn = asArray(output).flatMap((item) => readSvgCall(asObject(item).svg_usage));
  return [...made, ...drawn.slice(0, maxImages)];
}

/** No field reports file searches and sessions of code. */
export function readResponseFigures(body: unknown): Figures {
  const response = asObject(body);
  const tokens = readTokenUsage(response.usage);
  if (!tokens) return { usage: null };
  const usage = tokens.webSearches > 0 ? tokens : makeUsage({ ...tokens, webSearches: countSearches(response) });
  return sumCalls([{ model: asText(response.model), usage }, ...readImageCalls(response)]);
}

function readParts(parts: unknown): unknown[] {
  if (typeof parts === 'string') return [parts];
  return asArray(parts).map((part) => {
    const { text, refusal, transcript } = asObject(part);
    return [text, refusal, transcript];
  });
}

function readWritten({ summary, content, arguments: given, input, code }: JsonObject): unknown[] {
  return [...readParts(summary), ...readParts(content), { arguments: given, input }, code];
}

function readCalled(item: JsonObject): unknown[] {
  const { name, action, operation, queries, results, outputs, output, revised_prompt: prompt } = item;
  return [name, action, operation, queries, results, outputs, output, prompt];
}

export function readResponseText(body: unknown): Writing {
  const items = asArray(asObject(body).output).map(asObject);
  return collectText(items.flatMap((item) => [...readCalled(item), ...readWritten(item)]));
}

/** More items than any response has: what comes whole after them may be written twice. */
const maxItems = 10_000;

/** Writes every kind of delta except sound, and of whole items the text that came in no delta. */
function createResponseEventReader(): (frame: unknown, write: Write) => void {
  const streamed = new Set<unknown>();
  return (frame, write) => {
    const { type, delta, item, output_index: output, content_index: content, summary_index: summary } = asObject(frame);
    if (typeof type !== 'string') return;
    if (type === 'response.output_item.done') {
      const whole = asObject(item);
      const texts = streamed.has(output) ? readCalled(whole) : [...readCalled(whole), ...readWritten(whole)];
      for (const [at, text] of collectText(...texts).parts.entries()) write(`item ${asName(output)} ${at}`, text);
    } else if (type.endsWith('.delta') && !type.endsWith('.audio.delta')) {
      if (streamed.size < maxItems) streamed.add(output);
      const channel = `${type} ${asName(output)} ${asName(content ?? summary)}`;
      // The delta of a shell is an object of its two outputs.
      for (const [kind, text] of Object.entries(asObject(delta))) write(`${channel} ${kind}`, asText(text) ?? '');
      write(channel, asText(delta) ?? '');
    }
  };
}

const telling = /"(?:response\.(?:completed|incomplete|failed)|error)"/;

const opening = /"type"\s*:\s*"response\.(?:created|queued|in_progress)"/;

const endings = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed']);

export class ResponseStreamReader extends FrameReader {
  #lastFrame: string | null = null;
  #hasBegun = false;

  constructor() {
    super(createResponseEventReader());
  }

  push(event: string, data: string): void {
    const tells = event === 'error' || telling.test(data);
    if (!tells) {
      this.text.add(data);
      this.#hasBegun ||= !opening.test(data);
    }
    if (this.model !== null && !tells) return;
    const frame = asObject(parseFrame(data));
    const ends = endings.has(frame.type);
    // Items have an error member too, mostly null. The end repeats everything that was written.
    if (tells && !ends) this.text.add(data);
    const response = asObject(frame.response);
    this.id ??= asText(response.id);
    this.model ??= asText(response.model);
    this.serviceTier = asText(response.service_tier) ?? this.serviceTier;
    if (ends) {
      const { usage, calls } = readResponseFigures(response);
      this.usage = usage;
      this.calls = calls;
      this.#lastFrame = data;
      this.text.addBeside(frame);
    }
    this.failed ||= frame.type === 'response.failed' || isErrorFrame(event, frame);
    this.sawEnd ||= ends;
    // It failed before it began.
    this.isUnbilled = this.failed && this.usage === null && !this.#hasBegun;
  }

  protected override readEnd(tail: Buffer): JsonObject {
    return { response: findTrailingMembers(tail, 1) };
  }

  /** A server that does not really stream gives all of it in the last event. */
  protected override readText(): Writing {
    const text = this.text.read();
    if (text.parts.length > 0 || this.#lastFrame === null) return text;
    return readResponseText(asObject(parseFrame(this.#lastFrame)).response);
  }

  protected override readUncounted(): Writing {
    return this.readText();
  }
}
