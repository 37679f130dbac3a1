import { makeUsage, type Usage } from '@agp/catalogue';
import type { Frame } from '../../json/frame.ts';
import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { findTrailingMembers } from '../../json/scan.ts';
import { collectText } from '../../text/strings.ts';
import type { Write, Writing } from '../../text/writing.ts';
import { joinUnread, readFigures, tableFigures } from '../figures.ts';
import { FrameReader } from '../frame-reader.ts';
import { type ReportedCall, sumCalls } from '../operation.ts';
import type { Figures } from './describe-operation.ts';
import { readPictureFigures, readSvgCall } from './media.ts';
import { isErrorFrame } from './stream.ts';
import { readUsageFigures, usageTable } from './usage.ts';

/** The model that makes images if the tool's description names none (API reference, `tools[].model`). */
const defaultImageModel = 'gpt-image-2';

const maxImages = 1_000;

const maxContainers = 1_000;
const maxContainerId = 256;

interface RanTools {
  searches: number;
  fileSearches: number;
  pictures: number;
  containers: Set<string>;
}

const newRanTools = (): RanTools => ({ searches: 0, fileSearches: 0, pictures: 0, containers: new Set() });

/** Opening a page of a web search costs nothing, nor does what failed; a container does, once. */
function addTool(ran: RanTools, item: unknown): void {
  const { type, status, action, container_id: id, environment } = asObject(item);
  const done = status === 'failed' ? 0 : 1;
  const shellId = asObject(environment).container_id;
  const container =
    type === 'code_interpreter_call' ? asName(id) : type === 'shell_call' && shellId ? asName(shellId) : '';
  if (type === 'web_search_call') ran.searches += (asObject(action).type ?? 'search') === 'search' ? done : 0;
  else if (type === 'file_search_call') ran.fileSearches += done;
  else if (type === 'image_generation_call') ran.pictures += done;
  else if (container !== '' && container.length <= maxContainerId && ran.containers.size < maxContainers)
    ran.containers.add(container);
}

/** Models that do not reason pay another price for the tool that OpenAI offered first. */
const plainModel = /^gpt-4(?:o|\.1)/;

export const searchesByPreview = ({ model, tools }: JsonObject): boolean =>
  plainModel.test(asName(model)) &&
  asArray(tools).some((tool) => asName(asObject(tool).type).startsWith('web_search_preview'));

/** A container costs by its memory: so many times that of one GB. */
const gigabytes: ReadonlyMap<unknown, number> = new Map([
  ['4g', 4],
  ['16g', 16],
  ['64g', 64],
]);

function findGigabytes(tools: unknown): number {
  const sizes = asArray(tools).map((tool) => {
    const { container, environment } = asObject(tool);
    return gigabytes.get(asObject(container ?? environment).memory_limit) ?? 1;
  });
  return Math.max(1, ...sizes);
}

/** The provider's own count comes first. */
function addTools(told: Usage, response: JsonObject, ran: RanTools, counted: number | undefined): Usage {
  const webSearches = told.webSearches || (counted !== undefined && counted >= 0 ? counted : ran.searches);
  const { fileSearches, containers } = ran;
  if (webSearches + fileSearches + containers.size === 0) return told;
  const codeExecutions = containers.size > 0 ? containers.size * findGigabytes(response.tools) : told.codeExecutions;
  const searches = searchesByPreview(response) ? { webSearches: 0, previewSearches: webSearches } : { webSearches };
  return makeUsage({ ...told, ...searches, fileSearches: fileSearches || told.fileSearches, codeExecutions });
}

function readImageCalls({ tool_usage: used, tools, output }: JsonObject, pictures: number): ReportedCall[] {
  const { usage } = readPictureFigures(asObject(used).image_gen);
  const tool = asArray(tools).find((each) => asObject(each).type === 'image_generation');
  const model = asText(asObject(tool).model) ?? defaultImageModel;
  const counted = usage && usage.promptTokens + usage.completionTokens > 0 ? usage : null;
  const made = counted ?? (!asObject(used).image_gen && pictures > 0 ? makeUsage({ outputImages: pictures }) : null);
  const drawn = asArray(output).flatMap((item) => readSvgCall(asObject(item).svg_usage));
  return [...(made ? [{ model, usage: made }] : []), ...drawn.slice(0, maxImages)];
}

const toolTable = tableFigures(
  {},
  { web_search: tableFigures({ searches: 'num_requests' }), image_gen: { ...usageTable, isApart: true } },
);

/** @param earlier what ran by items that the body does not repeat */
export function readResponseFigures(body: unknown, earlier = newRanTools()): Figures {
  const response = asObject(body);
  const { usage: told, ...notes } = readUsageFigures(response.usage);
  const tools = readFigures(response.tool_usage, toolTable);
  const noted = { ...notes, unread: joinUnread(notes.unread, tools.notes.unread) };
  if (!told) return { usage: null, ...noted };
  const ran = response.output === undefined ? earlier : newRanTools();
  for (const item of asArray(response.output)) addTool(ran, item);
  // What xAI counts has all its tools.
  const usage = asObject(response.usage).server_side_tool_usage_details
    ? told
    : addTools(told, response, ran, tools.counts.searches);
  const others = readImageCalls(response, ran.pictures);
  const { containers } = ran;
  return { ...sumCalls([{ model: asText(response.model), usage }, ...others]), ...noted, containers };
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

/** Items that are billed by themselves, which a last frame that is too long to be kept does not show. */
const ranTool = /"(?:web_search|file_search|code_interpreter|shell|image_generation)_call"/;

export class ResponseStreamReader extends FrameReader {
  readonly #ran = newRanTools();
  #lastFrame: Frame | null = null;
  #hasBegun = false;

  constructor() {
    super(createResponseEventReader());
  }

  push(sent: Frame): void {
    const { event, data } = sent;
    const tells = event === 'error' || telling.test(data);
    if (data.includes('"response.output_item.done"') && ranTool.test(data)) addTool(this.#ran, sent.object().item);
    if (!tells) {
      this.text.add(sent);
      this.#hasBegun ||= !opening.test(data);
    }
    if (this.model !== null && !tells) return;
    const frame = sent.object();
    const ends = endings.has(frame.type);
    // Items have an error member too, mostly null. The end repeats everything that was written.
    if (tells && !ends) this.text.add(sent);
    const response = asObject(frame.response);
    this.id ??= asText(response.id);
    this.model ??= asText(response.model);
    this.serviceTier = asText(response.service_tier) ?? this.serviceTier;
    if (ends) {
      const { usage, calls, ...notes } = readResponseFigures(response, this.#ran);
      this.usage = usage;
      this.calls = calls;
      this.note(notes);
      this.#lastFrame = sent;
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
    return readResponseText(this.#lastFrame.object().response);
  }

  protected override readUncounted(): Writing {
    return this.readText();
  }
}
