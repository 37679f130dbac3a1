import type { FindModelBounds, PriceFile, PriceUsage } from '@agp/pricing';
import type { FairShares } from '@agp/runtime/fairness';
import type { PiiScanner } from './scan/pii-scanner.ts';
import type { TokenEstimator } from './tokens/token-estimator.ts';

export interface MeteringOptions {
  prices: PriceFile | null;
  /** Under a cap a request reserves the most that it may cost, or is refused without a bound. */
  isStrict: boolean;
  defaultOutputTokens: number;
  unpricedNanoUsd: number;
  /** How texts are scanned, and for how long; null if they are not. */
  pii: { personNames: boolean; budgetMs: number } | null;
  onTokenizerError?(error: Error): void;
  onScannerError?(error: Error): void;
}

export interface MeteringParts extends Pick<MeteringOptions, 'isStrict' | 'defaultOutputTokens' | 'unpricedNanoUsd'> {
  priceUsage: PriceUsage;
  findModelBounds: FindModelBounds;
  estimator: TokenEstimator;
  scanner: PiiScanner | null;
  memory: FairShares;
}
