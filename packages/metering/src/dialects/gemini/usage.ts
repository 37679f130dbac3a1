import { makeUsage, readCount, type Usage } from '@agp/pricing';
import { asArray, asObject, asText, type JsonObject, optionalCount } from '../../json/members.ts';
import { listFigures, noteFigures } from '../figures.ts';
import type { AnswerReading } from '../operation.ts';

function countModality(details: unknown, modality: string): number {
  let count = 0;
  for (const item of asArray(details)) {
    const { modality: kind, tokenCount, tokens } = asObject(item);
    if (asText(kind)?.toUpperCase() === modality) count += readCount(tokenCount ?? tokens) ?? 0;
  }
  return count;
}

/** The total shows a missing part, and whether a server counts thoughts among the candidates. */
function countOutput(candidates: number, thoughts: number, rest: number): number {
  const parts = candidates + thoughts;
  return rest > parts || (rest === candidates && candidates >= thoughts) ? rest : parts;
}

/** Results of tools are input beside the prompt, cached input is a part of the prompt; figures that are 0 are left out. */
export function readContentUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const toolUse = optionalCount(usage.toolUsePromptTokenCount);
  const candidates = optionalCount(usage.candidatesTokenCount);
  const thoughts = optionalCount(usage.thoughtsTokenCount);
  const others = (toolUse ?? 0) + (candidates ?? 0) + (thoughts ?? 0);
  const prompt = readCount(usage.promptTokenCount ?? Number(usage.totalTokenCount) - others);
  if (prompt === null || toolUse === null || candidates === null || thoughts === null) return null;
  const promptTokens = readCount(prompt + toolUse);
  const rest = (readCount(usage.totalTokenCount) ?? 0) - prompt - toolUse;
  const completionTokens = readCount(countOutput(candidates, thoughts, rest));
  if (promptTokens === null || completionTokens === null) return null;
  const promptDetails = usage.promptTokensDetails ?? usage.promptTokenDetails;
  const input = (modality: string) =>
    countModality(promptDetails, modality) + countModality(usage.toolUsePromptTokensDetails, modality);
  return makeUsage({
    promptTokens,
    completionTokens,
    cacheReadTokens: usage.cachedContentTokenCount,
    inputAudioTokens: input('AUDIO'),
    inputImageTokens: input('IMAGE'),
    inputVideoTokens: input('VIDEO'),
    cacheReadAudioTokens: countModality(usage.cacheTokensDetails, 'AUDIO'),
    cacheReadImageTokens: countModality(usage.cacheTokensDetails, 'IMAGE'),
    reasoningTokens: thoughts,
    outputAudioTokens: countModality(usage.candidatesTokensDetails, 'AUDIO'),
    outputImageTokens: countModality(usage.candidatesTokensDetails, 'IMAGE'),
    outputVideoTokens: countModality(usage.candidatesTokensDetails, 'VIDEO'),
  });
}

/** Vertex AI names the tier by the kind of traffic: `ON_DEMAND`, `ON_DEMAND_FLEX`, `PROVISIONED_THROUGHPUT` ... */
export function readContentTier(usage: JsonObject): string | null {
  const traffic = asText(usage.trafficType);
  const tier = asText(usage.serviceTier) ?? traffic?.replace(/^ON_DEMAND_/, '') ?? null;
  return tier === 'TRAFFIC_TYPE_UNSPECIFIED' ? null : tier;
}

/** What an answer was grounded on. Searches for pictures cost as those for pages. */
export interface Grounding {
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

export const modality = listFigures('tokenCount tokens');

export const contentFigures = listFigures(
  `promptTokenCount toolUsePromptTokenCount candidatesTokenCount thoughtsTokenCount totalTokenCount
  cachedContentTokenCount`,
  {
    'promptTokensDetails promptTokenDetails toolUsePromptTokensDetails cacheTokensDetails candidatesTokensDetails':
      modality,
  },
);

/** Blocked before the model saw it, a prompt has no candidates and no output. */
export function isBlocked({ candidates, promptFeedback }: JsonObject, usage: Usage | null): boolean {
  const isNamed = asText(asObject(promptFeedback).blockReason) !== null;
  return isNamed && asArray(candidates).length === 0 && (usage?.completionTokens ?? 0) === 0;
}

export function readContentFigures(value: unknown): Omit<AnswerReading, 'outputText'> {
  const answer = asObject(value);
  const figures = asObject(answer.usageMetadata);
  const model = asText(answer.modelVersion);
  const usage = readContentUsage(figures);
  const grounding = newGrounding();
  addGrounding(grounding, answer);
  return {
    model,
    usage: addGrounded(usage, grounding, model),
    ...noteFigures(figures, contentFigures),
    serviceTier: readContentTier(figures),
    isUnbilled: isBlocked(answer, usage),
  };
}
