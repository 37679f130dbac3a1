/**
 * The usage of one model call, in the same terms for every provider.
 *
 * `promptTokens` is all input, cached input included; `completionTokens` is all output that is
 * billed, reasoning included. Every other token figure is a part of one of the two, never added to it.
 * The figures that are not tokens are billed in addition.
 */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  /** Input that was read from the provider's prompt cache. */
  cacheReadTokens: number;
  /** Input that was written to the provider's prompt cache, whatever its lifetime. */
  cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` that is kept for an hour, which Anthropic prices separately. */
  cacheWrite1hTokens: number;
  inputAudioTokens: number;
  inputImageTokens: number;
  /** Video that was not read from the cache. */
  inputVideoTokens: number;
  /** The part of `cacheReadTokens` that is audio. */
  cacheReadAudioTokens: number;
  /** The part of `cacheReadTokens` that is images. */
  cacheReadImageTokens: number;
  reasoningTokens: number;
  outputAudioTokens: number;
  outputImageTokens: number;
  outputVideoTokens: number;
  /** Searches that the provider made for the model, if it bills each. */
  webSearches: number;
  /** Audio input in whole seconds, if the provider bills its length and not tokens. */
  inputAudioSeconds: number;
  /** Characters to be spoken, if the provider bills those and not tokens. */
  inputCharacters: number;
  /** Images that were made, if the provider bills each and not tokens. */
  outputImages: number;
}

/** A figure above this counts as an error of the provider: no call comes near it. */
export const maxTokens = 1_000_000_000;

const maxSearches = 100_000;
const maxAudioSeconds = 10_000_000;
const maxImages = 100_000;

/** A whole number from 0 to {@link maxTokens} (a fraction is cut off), or null for anything else. */
export function readCount(value: unknown): number | null {
  if (typeof value !== 'number' || !(value >= 0 && value <= maxTokens)) return null;
  return Math.abs(Math.trunc(value));
}

/** Rounds seconds to whole ones, as they are billed; anything but a number is unchanged. */
function roundSeconds(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}

/**
 * Makes usage that adds up of any input: invalid figures become 0, and no part is larger
 * than its whole.
 */
export function makeUsage(given: { readonly [name in keyof Usage]?: unknown }): Usage {
  const count = (name: keyof Usage, bound: number): number => Math.min(readCount(given[name]) ?? 0, bound);
  const promptTokens = count('promptTokens', maxTokens);
  const cacheReadTokens = count('cacheReadTokens', promptTokens);
  const cacheWriteTokens = count('cacheWriteTokens', promptTokens - cacheReadTokens);
  const inputAudioTokens = count('inputAudioTokens', promptTokens);
  const inputImageTokens = count('inputImageTokens', promptTokens - inputAudioTokens);
  const inputVideoTokens = count('inputVideoTokens', promptTokens - inputAudioTokens - inputImageTokens);
  const cachedAudio = count('cacheReadAudioTokens', Math.min(cacheReadTokens, inputAudioTokens));
  const cachedImage = count('cacheReadImageTokens', Math.min(cacheReadTokens - cachedAudio, inputImageTokens));
  // Not every provider splits cached input by kind: media that would not fit into the prompt otherwise must be cached.
  const media = inputAudioTokens + inputImageTokens + inputVideoTokens;
  const overlap = cacheReadTokens + cacheWriteTokens + media - promptTokens - cachedAudio - cachedImage;
  let unassigned = Math.max(0, Math.min(overlap, cacheReadTokens - cachedAudio - cachedImage));
  const take = (bound: number): number => {
    const taken = Math.min(unassigned, bound);
    unassigned -= taken;
    return taken;
  };
  const cachedVideo = take(inputVideoTokens);
  const cacheReadAudioTokens = cachedAudio + take(inputAudioTokens - cachedAudio);
  const cacheReadImageTokens = cachedImage + take(inputImageTokens - cachedImage);
  const completionTokens = count('completionTokens', maxTokens);
  const outputAudioTokens = count('outputAudioTokens', completionTokens);
  const outputImageTokens = count('outputImageTokens', completionTokens - outputAudioTokens);
  const outputVideoTokens = count('outputVideoTokens', completionTokens - outputAudioTokens - outputImageTokens);
  const outputMedia = outputAudioTokens + outputImageTokens + outputVideoTokens;
  return {
    promptTokens,
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: count('cacheWrite1hTokens', cacheWriteTokens),
    inputAudioTokens,
    inputImageTokens,
    inputVideoTokens: inputVideoTokens - cachedVideo,
    cacheReadAudioTokens,
    cacheReadImageTokens,
    reasoningTokens: count('reasoningTokens', completionTokens - outputMedia),
    outputAudioTokens,
    outputImageTokens,
    outputVideoTokens,
    webSearches: count('webSearches', maxSearches),
    inputAudioSeconds: Math.min(readCount(roundSeconds(given.inputAudioSeconds)) ?? 0, maxAudioSeconds),
    inputCharacters: count('inputCharacters', maxTokens),
    outputImages: count('outputImages', maxImages),
  };
}
