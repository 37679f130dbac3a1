import { makeUsage, readCount, type Usage } from '@agp/catalogue';
import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { type Counts, type FigureTable, readFigures, tableFigures } from '../figures.ts';
import { type AnswerReading, type ReportedCall, sumCalls } from '../operation.ts';
import { foldTier } from '../tier.ts';

const run = {
  input: 'input_tokens',
  completionTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_input_tokens',
  cacheWriteTokens: 'cache_creation_input_tokens',
  nothing: 'total_tokens',
};

const ofRun = {
  cache_creation: tableFigures({
    shortTokens: 'ephemeral_5m_input_tokens',
    cacheWrite1hTokens: 'ephemeral_1h_input_tokens',
  }),
  output_tokens_details: tableFigures({ reasoningTokens: 'thinking_tokens' }),
  // Fetching pages is free, as is searching for tools.
  server_tool_use: tableFigures({
    webSearches: 'web_search_requests',
    codeExecutions: 'code_execution_requests',
    nothing: 'web_fetch_requests tool_search_requests',
  }),
};

const runTable: FigureTable = { ...tableFigures(run, ofRun), isApart: true };

const messageTable = tableFigures(
  { ...run, nothing: 'total_tokens cost_in_usd_ticks' },
  { ...ofRun, 'cost cost_details': 'passed', iterations: runTable },
);

export const findUnreadOfMessage = (usage: unknown) => readFigures(usage, messageTable).notes.unread;

/**
 * `input_tokens` touched no cache, and cache writes by lifetime a part of `cache_creation_input_tokens`, or given without it. A
 * server that says that a call had no input has not counted.
 */
export function toUsage(counts: Counts): Usage | null {
  const { input = Number.NaN, completionTokens = Number.NaN, cacheWriteTokens = 0, cacheReadTokens = 0 } = counts;
  const written = Math.max(cacheWriteTokens, byLifetime(counts));
  const promptTokens = readCount(input + written + cacheReadTokens);
  if (promptTokens === null || promptTokens === 0 || Number.isNaN(completionTokens)) return null;
  return makeUsage({ ...counts, promptTokens, cacheWriteTokens: written });
}

const byLifetime = ({ shortTokens = 0, cacheWrite1hTokens = 0 }: Counts) =>
  (shortTokens || 0) + (cacheWrite1hTokens || 0);

interface Run extends ReportedCall {
  type: string;
}

/** Runs of a model within a message that its own figures leave out: summaries of the context, and advice by another model. */
const extraRuns = new Set(['compaction', 'advisor_message']);

/** Runs that make up the message. The last one of a fallback model served it, models before it declined. */
const ownRuns = new Set(['message', 'fallback_message']);

function readRuns(iterations: unknown, model: string | null): Run[] {
  return asArray(iterations).flatMap((item) => {
    const run = asObject(item);
    const usage = toUsage(readFigures(run, runTable).counts);
    return usage === null ? [] : [{ type: asName(run.type), model: asText(run.model) ?? model, usage }];
  });
}

const isFallback = (block: unknown) => asObject(block).type === 'fallback';

/** Models that declined before any output are not billed. */
function findOwnRuns(runs: readonly Run[], told: ReportedCall, isRefusal: boolean): ReportedCall[] {
  const server = runs.findLast(({ type }) => type === 'fallback_message');
  const own = runs.filter(({ type }) => ownRuns.has(type));
  if (server === undefined && own.length < 2) return [told];
  const declined = ({ model, usage }: Run) =>
    usage.completionTokens === 0 && (server === undefined ? isRefusal : model !== server.model);
  const billed: ReportedCall[] = own.filter((run) => !declined(run));
  const [sum, last] = [sumCalls(own).usage, billed.at(-1)];
  const { promptTokens, completionTokens, webSearches, codeExecutions } = told.usage;
  const isWhole = sum !== null && sum.promptTokens >= promptTokens && sum.completionTokens >= completionTokens;
  if (!isWhole || last === undefined) return [told, ...billed.filter(({ model }) => model !== told.model)];
  return [...billed.slice(0, -1), { ...last, usage: { ...last.usage, webSearches, codeExecutions } }];
}

/** Code ran in a container, which is billed by the hour, if no figure says how often. */
function addContainer(usage: Usage | null, container: unknown): Usage | null {
  if (usage === null || usage.codeExecutions > 0 || asText(asObject(container).id) === null) return usage;
  return { ...usage, codeExecutions: 1 };
}

export function readMessageFigures(value: unknown): Omit<AnswerReading, 'outputText'> {
  const message = asObject(value);
  const told = asObject(message.usage);
  const model = asText(message.model);
  const { counts, notes } = readFigures(told, messageTable);
  const usage = addContainer(toUsage(counts), message.container);
  const speed = asText(told.speed) && (told.speed === 'fast' ? 'fast' : 'normal_speed');
  const geo = asText(told.inference_geo) && (foldTier(told.inference_geo, 'geo') ?? 'geo_global');
  const served = [speed, speed === 'fast' ? null : asText(told.service_tier), geo];
  const serviceTier = served.filter((tier) => tier !== null).join('+') || null;
  if (usage === null) return { model, usage, serviceTier, ...notes };
  const isRefusal = message.stop_reason === 'refusal';
  // A body too large to be parsed shows no content, which does not make it empty.
  const isUnbilled = isRefusal && Array.isArray(message.content) && message.content.every(isFallback);
  const runs = readRuns(told.iterations, model);
  const extra = runs.filter(({ type }) => extraRuns.has(type));
  const own = isUnbilled ? [] : findOwnRuns(runs, { model, usage }, isRefusal);
  const calls = [...own, ...extra].map((call): ReportedCall => ({ model: call.model, usage: call.usage }));
  if (calls.length === 0) return { model, usage: null, serviceTier, isUnbilled, ...notes };
  return { model, serviceTier, ...sumCalls(calls), ...(runs.length > 0 && { calls }), ...notes };
}

function countCached(usage: JsonObject): number {
  return (readCount(usage.cache_read_input_tokens) ?? 0) + (readCount(usage.cache_creation_input_tokens) ?? 0);
}

/** The figures that are read. Others are dropped: a stream could add new names in every frame. */
const figures = [...messageTable.rows.keys(), 'speed', 'service_tier', 'inference_geo', 'is_byok'];

const ofInput = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'cache_creation'];

/**
 * Figures count from the message's start, so they replace known ones, except that no input at all is no figure. Qwen counts all
 * input at the start and says at the end how much was cached, sometimes without counting the rest anew: then the two overlap.
 */
export function mergeMessageUsage(known: JsonObject, delta: unknown): JsonObject {
  const given: Record<string, unknown> = Object.fromEntries(
    figures.map((name) => [name, asObject(delta)[name]]).filter(([, value]) => value !== null && value !== undefined),
  );
  if (!readCount(given.input_tokens) && countCached(given) === 0) for (const name of ofInput) delete given[name];
  const merged = { ...known, ...given };
  const input = readCount(known.input_tokens);
  const newlyCached = countCached(merged) - countCached(known);
  if (input === null || 'input_tokens' in given || newlyCached <= 0) return merged;
  return { ...merged, input_tokens: Math.max(0, input - newlyCached) };
}
