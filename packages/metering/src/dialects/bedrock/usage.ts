import type { Usage } from '@agp/catalogue';
import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { toUsage } from '../anthropic/usage.ts';
import { readFigures, tableFigures, tableKeyed } from '../figures.ts';
import type { AnswerReading } from '../operation.ts';
import { joinServed } from '../tier.ts';
import { addGuardrail, ofAws } from './guardrail.ts';

/**
 * `inputTokens` touched no cache: a recorded answer of 16, with 9 out and 2,387 written, has a total of 2,412. Figures of Invoke end with
 * `Count`.
 */
const usageTable = tableFigures(
  {
    input: 'inputTokens inputTokenCount',
    completionTokens: 'outputTokens outputTokenCount',
    cacheReadTokens: 'cacheReadInputTokens cacheReadInputTokenCount',
    cacheWriteTokens: 'cacheWriteInputTokens cacheWriteInputTokenCount',
    nothing: 'totalTokens invocationLatency firstByteLatency',
  },
  { cacheDetails: tableKeyed('ttl', 'inputTokens', { '5M': 'shortTokens', '1H': 'cacheWrite1hTokens' }, true) },
);

/** In a last event of Invoke AWS counts what the vendor may not. */
export const metricsMember = `${ofAws}invocationMetrics`;

export const readMetrics = (event: JsonObject): Usage | null =>
  toUsage(readFigures(event[metricsMember], usageTable).counts);

/** A whole answer, or the `metadata` of a stream with its `stopReason`. Behind a prompt router the trace alone says which model answered. */
export function readConverseFigures(value: unknown): Omit<AnswerReading, 'outputText'> {
  const { usage, serviceTier, performanceConfig, trace, stopReason } = asObject(value);
  const { counts, notes } = readFigures(usage, usageTable);
  const reading = {
    model: asText(asObject(asObject(trace).promptRouter).invokedModelId),
    usage: toUsage(counts),
    serviceTier: joinServed(asText(asObject(serviceTier).type), asText(asObject(performanceConfig).latency)),
    ...notes,
  };
  return addGuardrail(reading, { trace, stopReason, usage });
}
