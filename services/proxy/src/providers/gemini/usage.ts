import { makeUsage, readCount, type Usage } from '@agp/core/pricing';
import { asArray, asObject, optionalCount } from '../json-shapes.ts';

function countModality(details: unknown, modality: string): number {
  let count = 0;
  for (const item of asArray(details)) {
    const detail = asObject(item);
    if (detail.modality === modality) count += readCount(detail.tokenCount) ?? 0;
  }
  return count;
}

/**
 * Usage of generateContent. What tools gave the model to read is input besides the prompt, and thoughts
 * are output besides the candidates; cached input is a part of the prompt. Figures that are 0 are left out.
 */
export function readContentUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const prompt = readCount(usage.promptTokenCount);
  const toolUse = optionalCount(usage.toolUsePromptTokenCount);
  const candidates = optionalCount(usage.candidatesTokenCount);
  const thoughts = optionalCount(usage.thoughtsTokenCount);
  if (prompt === null || toolUse === null || candidates === null || thoughts === null) return null;
  const promptTokens = readCount(prompt + toolUse);
  const completionTokens = readCount(candidates + thoughts);
  if (promptTokens === null || completionTokens === null) return null;
  const input = (modality: string) =>
    countModality(usage.promptTokensDetails, modality) + countModality(usage.toolUsePromptTokensDetails, modality);
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
