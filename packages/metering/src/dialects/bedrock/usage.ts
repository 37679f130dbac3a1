import { makeUsage, readCount, type Usage } from '@agp/catalogue';
import { asObject, asText } from '../../json/members.ts';
import { type Counts, readFigures, tableFigures, tableKeyed } from '../figures.ts';
import type { AnswerReading } from '../operation.ts';

/** Nova's own bodies end their names of cached figures with `Count`. */
const usageTable = tableFigures(
  {
    input: 'inputTokens',
    completionTokens: 'outputTokens',
    cacheReadTokens: 'cacheReadInputTokens cacheReadInputTokenCount',
    cacheWriteTokens: 'cacheWriteInputTokens cacheWriteInputTokenCount',
    nothing: 'totalTokens',
  },
  { cacheDetails: tableKeyed('ttl', 'inputTokens', { '5M': 'shortTokens', '1H': 'cacheWrite1hTokens' }, true) },
);

/** `inputTokens` touched no cache: a recorded answer of 16, with 9 out and 2,387 written, has a total of 2,412. */
function toUsage(counts: Counts): Usage | null {
  const { input = Number.NaN, completionTokens = Number.NaN, cacheReadTokens = 0, cacheWriteTokens = 0 } = counts;
  const written = Math.max(cacheWriteTokens, (counts.shortTokens ?? 0) + (counts.cacheWrite1hTokens ?? 0));
  const promptTokens = readCount(input + cacheReadTokens + written);
  if (promptTokens === null || promptTokens === 0 || Number.isNaN(completionTokens)) return null;
  return makeUsage({ ...counts, promptTokens, cacheWriteTokens: written });
}

/** A whole answer, or the `metadata` of a stream. Behind a prompt router the trace alone says which model answered. */
export function readConverseFigures(value: unknown): Omit<AnswerReading, 'outputText'> {
  const { usage, serviceTier, performanceConfig, trace } = asObject(value);
  const { counts, notes } = readFigures(usage, usageTable);
  const served = [asText(asObject(serviceTier).type), asText(asObject(performanceConfig).latency)];
  return {
    model: asText(asObject(asObject(trace).promptRouter).invokedModelId),
    usage: toUsage(counts),
    serviceTier: served.filter((tier) => tier !== null).join('+') || null,
    ...notes,
  };
}
