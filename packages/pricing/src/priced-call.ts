import type { Usage } from './usage.ts';

/** A model call that is to be priced. */
export interface PricedCall {
  /** The provider's id as configured. */
  provider: string;
  api: 'openai' | 'anthropic' | 'gemini';
  /** The provider's base URL, which tells whose prices hold behind a compatible API. */
  baseUrl: string;
  model: string;
  usage: Usage;
  /** When the call was made: some prices change by date or by time of day. */
  at: Date;
  /** The tier that the provider says it served the call with (`flex`, `priority`, `batch` ...); null where it says none. */
  serviceTier?: string | null;
}

/** What a call costs. */
export interface UsagePrice {
  /** Whole nano-dollars; 0 where the model has no known price. */
  costNanoUsd: number;
  /**
   * Which price was used, for the lineage payload's `price_version`: the library's version, what was put over or
   * beside it (the operator's file, our supplement), and the service tier. Null where no price is known.
   */
  priceVersion: string | null;
  priced: boolean;
}

/** Prices one call. Never throws. */
export type PriceUsage = (call: PricedCall) => UsagePrice;
