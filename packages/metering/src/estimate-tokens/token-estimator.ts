import type { Holder } from '@agp/runtime/fairness';
import type { TextSource } from '../text/index.ts';

/** Counts tokens where the provider gave no figures. */
export interface TokenEstimator {
  /**
   * Tokens of a text, read and counted off the event loop by the tokenizer nearest to the model's.
   * Falls back to a quarter of its size when that takes too long. Never rejects.
   *
   * @param holder whose turn it takes
   */
  countTokens(text: TextSource, model: string, holder: Holder): Promise<number>;
  /** Ends the worker; counts that still run get the cheap estimate. */
  stop(): Promise<void>;
}
