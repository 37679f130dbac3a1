import { makeUsage, readCount, type Usage } from '@agp/core/pricing';
import { asObject, optionalCount } from '../json-shapes.ts';

/**
 * Usage of chat completions, completions and embeddings. Cached tokens are in `prompt_tokens`, reasoning in
 * `completion_tokens`; embeddings have no output.
 */
export function readCompletionUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const promptTokens = readCount(usage.prompt_tokens);
  const completionTokens = optionalCount(usage.completion_tokens);
  if (promptTokens === null || completionTokens === null) return null;
  const input = asObject(usage.prompt_tokens_details);
  const output = asObject(usage.completion_tokens_details);
  return makeUsage({
    promptTokens,
    completionTokens,
    cacheReadTokens: input.cached_tokens,
    cacheWriteTokens: input.cache_write_tokens,
    inputAudioTokens: input.audio_tokens,
    reasoningTokens: output.reasoning_tokens,
    outputAudioTokens: output.audio_tokens,
  });
}

/** Usage of the Responses API: the same meaning under other names. */
export function readResponseUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const promptTokens = readCount(usage.input_tokens);
  const completionTokens = readCount(usage.output_tokens);
  if (promptTokens === null || completionTokens === null) return null;
  const input = asObject(usage.input_tokens_details);
  return makeUsage({
    promptTokens,
    completionTokens,
    cacheReadTokens: input.cached_tokens,
    cacheWriteTokens: input.cache_write_tokens,
    reasoningTokens: asObject(usage.output_tokens_details).reasoning_tokens,
  });
}
