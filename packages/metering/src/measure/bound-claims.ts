import { largestContext, largestOutput, makeUsage, type Usage } from '@agp/pricing';
import type { InspectedBody } from '../request/inspect-body.ts';

/** The most that a call can have used, as far as its request tells. */
interface UsageBounds {
  promptTokens: number;
  /** Output besides what is told to be reasoning. */
  writtenTokens: number;
  reasoningTokens: number;
  webSearches: number;
  inputAudioSeconds: number;
}

/** What providers put before a request on their own, in tokens: instructions for tools, and templates. */
const unseenInput = 16_384;

/** More answers than any provider writes to one request. */
const mostAnswers = 128;

/** Where the provider runs tools, each round of the model reads all again. */
const rounds = 4;

/** What is written besides a bound, in tokens: servers differ in what they count. */
const slack = (bound: number) => Math.ceil(bound * 1.1) + 256;

/** Sound has at least so many bytes a second. */
const leastSoundBytes = 16;
const longestSound = 86_400;

/**
 * Words by which a request names what is not in it, or holds what has few bytes for its tokens, such as pictures. It may
 * also be a text that has the words: then more is believed.
 */
const reach =
  /https?:|gs:|"file|_id"|url|image|audio|video|document|prompt"\s*:\s*\{|conversation|cache|container|search|fetch|browse|retriev|code_|execut|computer|mcp|plugin|agent|research|sonar|compound|online|data_?source|inline|\\u|background|context/i;

/** Of a larger body the bound by its own size is above all that models read. */
const maxSearched = largestContext;

function reachesOut({ bytes, form, requestedModel, isExact }: InspectedBody): boolean {
  if (!isExact || form.contentType.toLowerCase().includes('form') || bytes.length > maxSearched) return true;
  return reach.test(requestedModel ?? '') || reach.test(bytes.toString('latin1'));
}

/** @param sent null where the request has no body that was read */
function findBounds(sent: InspectedBody | null, isOpen: boolean): UsageBounds {
  const answers = Math.min(Math.max(1, sent?.answers ?? 1), mostAnswers);
  const asked = sent?.maxOutputTokens ?? null;
  const written = answers * (asked === null ? largestOutput : slack(Math.min(asked, largestContext)));
  const size = sent?.bytes.length ?? 0;
  return {
    promptTokens: isOpen ? Math.max(largestContext * rounds, size) : size + unseenInput,
    writtenTokens: isOpen ? Math.max(written, answers * largestOutput) : written,
    reasoningTokens: answers * largestOutput,
    webSearches: isOpen ? 1_000 : 16,
    inputAudioSeconds: isOpen ? longestSound : Math.min(60 + size / leastSoundBytes, longestSound),
  };
}

/** Figures within bounds; the same object where they were. */
function boundUsage(claimed: Usage, bounds: UsageBounds): Usage {
  const promptTokens = Math.min(claimed.promptTokens, bounds.promptTokens);
  const reasoningTokens = Math.min(claimed.reasoningTokens, bounds.reasoningTokens);
  const written = Math.min(claimed.completionTokens - claimed.reasoningTokens, bounds.writtenTokens);
  const bounded = makeUsage({
    ...claimed,
    promptTokens,
    reasoningTokens,
    completionTokens: written + reasoningTokens,
    webSearches: Math.min(claimed.webSearches, bounds.webSearches),
    inputAudioSeconds: Math.min(claimed.inputAudioSeconds, bounds.inputAudioSeconds),
  });
  const isWithin =
    bounded.promptTokens === claimed.promptTokens &&
    bounded.completionTokens === claimed.completionTokens &&
    bounded.webSearches === claimed.webSearches &&
    bounded.inputAudioSeconds === claimed.inputAudioSeconds;
  return isWithin ? claimed : bounded;
}

/**
 * What is believed of an answer's figures: what the request's own size and bounds allow. Only where it may have more to read
 * than stands in it, pictures or something elsewhere, is it what models can read and write at all.
 *
 * @param sent the request's body; null where there is none that was read
 * @returns makes the usage of one call believable: the same object where it was
 */
export function boundClaims(sent: InspectedBody | null): (claimed: Usage) => Usage {
  const narrow = findBounds(sent, false);
  let wide: UsageBounds | null = null;
  return (claimed) => {
    if (wide === null) {
      if (boundUsage(claimed, narrow) === claimed && sent !== null) return claimed;
      wide = sent === null || reachesOut(sent) ? findBounds(sent, true) : narrow;
    }
    return boundUsage(claimed, wide);
  };
}
