import type { CostFields } from '../cost-fields/index.ts';

/** The most that a request may ask for, whoever reads it. */
export interface StrictDemand {
  writes: CostFields['writes'];
  /** Bytes of the whole request; no token has less than one. */
  inputBytes: number;
  /** The number of inputs of unknown size. */
  unsizedInputs: number;
  /** Tokens of one answer; null without a bound that holds. */
  outputTokens: number | null;
  /** The largest number that some server might take for such a bound. */
  leastOutputTokens: number;
  /** The only bound is `max_completion_tokens`, which some servers do not know. */
  isBoundNew: boolean;
  /** Additional output: thoughts, and predictions that do not come true. */
  moreOutputTokens: number;
  answers: number;
  /** How often the model may read everything: once, and again after each use of a tool that the provider runs. */
  runs: number;
  /** How often the provider may search the web, each time for the model to read on. */
  webSearches: number;
  describedTools: number;
  /** Bytes that are spoken; 0 where none are. */
  spokenBytes: number;
  /** A named tier that may cost more than the list price; else null. */
  tier: string | null;
  isFast: boolean;
  /** Pictures are of no more than the common size. */
  isPictureCommon: boolean;
}
