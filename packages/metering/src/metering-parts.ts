import type { FindModelBounds, PriceFile, PriceUsage, Usage } from '@agp/catalogue';
import type { FairShares } from '@agp/runtime/fairness';
import type { BodySearcher } from './redaction/body-searcher.ts';
import type { PiiScanner } from './scan/pii-scanner.ts';
import type { TokenEstimator } from './tokens/token-estimator.ts';

export interface MeteringOptions {
  prices: PriceFile | null;
  /** Under a cap a request reserves the most that it may cost, or is refused without a bound. */
  isStrict: boolean;
  /** How texts are scanned, and for how long; null if they are not. */
  pii: { personNames: boolean; budgetMs: number } | null;
  /** The largest body, in bytes. */
  maxRequestBytes?: number;
  onTokenizerError?(error: Error): void;
  onScannerError?(error: Error): void;
}

export interface MeteringParts extends Pick<MeteringOptions, 'isStrict'> {
  priceUsage: PriceUsage;
  findModelBounds: FindModelBounds;
  estimator: TokenEstimator;
  scanner: PiiScanner | null;
  /** For rules of data. */
  searcher: BodySearcher;
  memory: FairShares;
  /** For answers that wait until a policy has read them. */
  held: FairShares;
}

/** What a call costs under a cap if nothing of it can be read, in nano-dollars. */
export const unpricedNanoUsd = 10_000_000;

const unpricedTokens = 10_000;

/** What a call without a price counts for under a cap, in nano-dollars: a fixed amount for each 10,000 tokens, at least one. */
export function guessCost(usage: Usage): number {
  return Math.max(1, Math.ceil((usage.promptTokens + usage.completionTokens) / unpricedTokens)) * unpricedNanoUsd;
}
