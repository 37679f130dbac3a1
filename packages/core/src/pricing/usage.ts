/**
 * What one model call used, the same for every provider.
 *
 * `promptTokens` is all input, cached input included; `completionTokens` is all output that is
 * billed, reasoning included. Every other token figure is a part of one of the two, never added to it.
 */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  /** Input that was read from the provider's prompt cache. */
  cacheReadTokens: number;
  /** Input that was written to the provider's prompt cache, whatever its lifetime. */
  cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` that is kept for an hour, which Anthropic prices apart. */
  cacheWrite1hTokens: number;
  inputAudioTokens: number;
  inputImageTokens: number;
  inputVideoTokens: number;
  /** The part of `cacheReadTokens` that is audio. */
  cacheReadAudioTokens: number;
  /** The part of `cacheReadTokens` that is images. */
  cacheReadImageTokens: number;
  reasoningTokens: number;
  outputAudioTokens: number;
  outputImageTokens: number;
  outputVideoTokens: number;
  /** Searches that the provider made for the model, where it bills them one by one. */
  webSearches: number;
}

/** A figure above this is taken for an error of the provider: no call of any model comes near. */
export const maxTokens = 1_000_000_000;
