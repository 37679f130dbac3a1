import { makeUsage, readCount, type Usage } from '@agp/catalogue';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { type Counts, type FigureTable, readFigures, tableFigures, tableKeyed } from '../figures.ts';
import type { AnswerReading } from '../operation.ts';

const byModality = (figures: Readonly<Record<string, string>>) => tableKeyed('modality', 'tokenCount tokens', figures);

const inputs = { AUDIO: 'inputAudioTokens', IMAGE: 'inputImageTokens', VIDEO: 'inputVideoTokens' };
const outputs = { AUDIO: 'outputAudioTokens', IMAGE: 'outputImageTokens', VIDEO: 'outputVideoTokens' };
const cached = { AUDIO: 'cacheReadAudioTokens', IMAGE: 'cacheReadImageTokens' };

/** Where an API of Google's says what it counts. */
interface Names {
  prompt: string;
  toolUse: string;
  candidates: string;
  thoughts: string;
  total: string;
  cacheReadTokens: string;
  inputs: string;
  toolInputs: string;
  cached: string;
  outputs: string;
}

export const tableContent = (names: Names, within: Readonly<Record<string, FigureTable>> = {}): FigureTable => {
  const { inputs: ofInput, toolInputs, cached: ofCached, outputs: ofOutput, ...figures } = names;
  return tableFigures(figures, {
    [ofInput]: byModality(inputs),
    [toolInputs]: byModality(inputs),
    [ofCached]: byModality(cached),
    [ofOutput]: byModality(outputs),
    ...within,
  });
};

export const contentTable = tableContent({
  prompt: 'promptTokenCount',
  toolUse: 'toolUsePromptTokenCount',
  candidates: 'candidatesTokenCount',
  thoughts: 'thoughtsTokenCount',
  total: 'totalTokenCount',
  cacheReadTokens: 'cachedContentTokenCount',
  inputs: 'promptTokensDetails promptTokenDetails',
  toolInputs: 'toolUsePromptTokensDetails',
  cached: 'cacheTokensDetails',
  outputs: 'candidatesTokensDetails',
});

/** The total shows a missing part, and whether a server counts thoughts among the candidates. */
function countOutput(candidates: number, thoughts: number, rest: number): number {
  const parts = candidates + thoughts;
  return rest > parts || (rest === candidates && candidates >= thoughts) ? rest : parts;
}

/** Results of tools are input beside the prompt, cached input is a part of the prompt; figures that are 0 are left out. */
export function toContentUsage(counts: Counts): Usage | null {
  const { toolUse = 0, candidates = 0, thoughts = 0, total = Number.NaN } = counts;
  const prompt = readCount(counts.prompt ?? total - toolUse - candidates - thoughts);
  if (prompt === null || [toolUse, candidates, thoughts].some(Number.isNaN)) return null;
  const promptTokens = readCount(prompt + toolUse);
  const completionTokens = readCount(countOutput(candidates, thoughts, (total || 0) - prompt - toolUse));
  if (promptTokens === null || completionTokens === null) return null;
  return makeUsage({ ...counts, promptTokens, completionTokens, reasoningTokens: thoughts });
}

/** Vertex AI names the tier by the kind of traffic: `ON_DEMAND`, `ON_DEMAND_FLEX`, `PROVISIONED_THROUGHPUT` ... */
export function readContentTier(usage: JsonObject): string | null {
  const traffic = asText(usage.trafficType);
  const tier = asText(usage.serviceTier) ?? traffic?.replace(/^ON_DEMAND_/, '') ?? null;
  return tier === 'TRAFFIC_TYPE_UNSPECIFIED' ? null : tier;
}

/** What an answer was grounded on. Searches for pictures cost as those for pages. */
interface Grounding {
  searches: Set<string>;
  usesMaps: boolean;
  usesStore: boolean;
}

export const newGrounding = (): Grounding => ({ searches: new Set(), usesMaps: false, usesStore: false });

const maxSearches = 1_000;
const maxSearch = 4_096;

/** Adds those of an answer or frame, which may repeat them. */
export function addGrounding(known: Grounding, { candidates }: JsonObject): void {
  for (const candidate of asArray(candidates)) {
    const grounding = asObject(asObject(candidate).groundingMetadata);
    for (const kind of ['web', 'image']) {
      for (const given of asArray(grounding[`${kind}SearchQueries`])) {
        const query = asText(given)?.trim();
        const text = query && query.length > maxSearch ? `${query.length} characters` : query;
        if (text && known.searches.size < maxSearches) known.searches.add(`${kind} ${text}`);
      }
    }
    known.usesStore ||= asArray(grounding.retrievalQueries).some((query) => asText(query) !== null);
    known.usesMaps ||=
      asText(grounding.googleMapsWidgetContextToken) !== null ||
      asArray(grounding.groundingChunks).some((chunk) => asObject(chunk).maps !== undefined);
  }
}

/** Gemini 3 and later bill every search; earlier ones every prompt that led to any. */
export function billSearches(count: number, model: string | null): number {
  return /gemini-[12]\D/.test(model ?? '') ? Math.min(1, count) : count;
}

export function addGrounded(usage: Usage | null, { searches, usesMaps, usesStore }: Grounding, model: string | null) {
  const webSearches = billSearches(searches.size, model);
  if (usage === null || !(webSearches > 0 || usesMaps || usesStore)) return usage;
  return { ...usage, webSearches, mapsSearches: usesMaps ? 1 : 0, fileSearches: usesStore ? 1 : 0 };
}

/** Blocked before the model saw it, a prompt has no candidates and no output. */
export function isBlocked({ candidates, promptFeedback }: JsonObject, usage: Usage | null): boolean {
  const isNamed = asText(asObject(promptFeedback).blockReason) !== null;
  return isNamed && asArray(candidates).length === 0 && (usage?.completionTokens ?? 0) === 0;
}

export function readContentFigures(value: unknown): Omit<AnswerReading, 'outputText'> {
  const answer = asObject(value);
  const figures = asObject(answer.usageMetadata);
  const model = asText(answer.modelVersion);
  const { counts, notes } = readFigures(figures, contentTable);
  const usage = toContentUsage(counts);
  const grounding = newGrounding();
  addGrounding(grounding, answer);
  return {
    model,
    usage: addGrounded(usage, grounding, model),
    ...notes,
    serviceTier: readContentTier(figures),
    isUnbilled: isBlocked(answer, usage),
  };
}
