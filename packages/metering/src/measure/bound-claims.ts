import { largestContext, largestOutput, makeUsage, type Usage } from '@agp/pricing';
import type { InspectedBody } from '../request/inspect-body.ts';

/** The most that a call can have used, judged by its request. */
interface UsageBounds {
  promptTokens: number;
  /** Output that is not reported as reasoning. */
  writtenTokens: number;
  reasoningTokens: number;
  webSearches: number;
  inputAudioSeconds: number;
}

/** Tokens that providers add to a request: instructions for tools, and templates. */
const unseenInput = 16_384;

/** More answers than any provider writes to one request. */
const mostAnswers = 128;

/** Where the provider runs tools, each round of the model reads everything again. */
const rounds = 4;

/** Servers differ in what they count against a bound. */
const slack = (bound: number) => Math.ceil(bound * 1.1) + 256;

/** Sound has at least so many bytes a second. */
const leastSoundBytes = 16;
const longestSound = 86_400;

/**
 * Words by which a request refers to something outside of it, or to content with few bytes for its tokens, such as pictures. A
 * text may contain the words, too: then more is believed than necessary.
 */
const reach =
  /https?:|gs:|"file|_id"|url|image|audio|video|document|prompt"\s*:\s*\{|conversation|cache|container|search|fetch|browse|retriev|code_|execut|computer|mcp|plugin|agent|research|sonar|compound|online|data_?source|inline|\\u|context/i;

/** A larger body is itself larger than any context. */
const maxSearched = largestContext;

/** Whether a request may refer to more than it contains. */
export function reachesOut({ bytes, form, requestedModel, isExact }: InspectedBody): boolean {
  if (!isExact || form.contentType.toLowerCase().includes('form') || bytes.length > maxSearched) return true;
  return reach.test(requestedModel ?? '') || reach.test(bytes.toString('latin1'));
}

/** A request that runs in the background is believed more, too. */
const mayReadMore = (sent: InspectedBody) => reachesOut(sent) || /background/i.test(sent.bytes.toString('latin1'));

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
 * Bounds an answer's figures by the request's own size and limits. A request that may refer to more than it contains, such as
 * pictures or files elsewhere, is bounded only by what models can read and write at all.
 *
 * @param sent null if no body was read
 * @returns a function that bounds the usage of one call; it returns the same object if that was within bounds
 */
export function boundClaims(sent: InspectedBody | null): (claimed: Usage) => Usage {
  const narrow = findBounds(sent, false);
  let wide: UsageBounds | null = null;
  return (claimed) => {
    if (wide === null) {
      if (boundUsage(claimed, narrow) === claimed && sent !== null) return claimed;
      wide = sent === null || mayReadMore(sent) ? findBounds(sent, true) : narrow;
    }
    return boundUsage(claimed, wide);
  };
}
