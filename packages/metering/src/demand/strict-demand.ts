import type { CostFields } from '../cost-fields/index.ts';

/** The most that a request may ask for, whoever reads it. */
export interface StrictDemand {
  writes: CostFields['writes'];
  /** Bytes of all that stands in it, of which no token has less than one. */
  inputBytes: number;
  /** Inputs of which nobody here knows the size. */
  unsizedInputs: number;
  /** Tokens of one answer; null where it gives no bound, or one that may not hold. */
  outputTokens: number | null;
  /** The largest number that some server might take for such a bound. */
  leastOutputTokens: number;
  /** The bound stands in `max_completion_tokens` alone, which some servers do not know. */
  isBoundNew: boolean;
  /** Tokens that may be written besides: thoughts, and predictions that do not come true. */
  moreOutputTokens: number;
  answers: number;
  /** How often the model may read everything: once, and again after each use of a tool that the provider runs. */
  runs: number;
  /** How often the provider may search the web, each time for the model to read on. */
  webSearches: number;
  describedTools: number;
  /** Bytes that are spoken; 0 where none are. */
  spokenBytes: number;
  /** A tier that it names, and that costs what nobody has said; null for those at the list price or below. */
  tier: string | null;
  isFast: boolean;
  /** Pictures are of no more than the common size. */
  isPictureCommon: boolean;
}
