import type { Usage } from './usage.ts';

/** A model call to be priced. */
export interface PricedCall {
  /** The provider's id as configured. */
  provider: string;
  api: 'openai' | 'anthropic' | 'gemini';
  /** The provider's base URL, which identifies the vendor behind a compatible API. */
  baseUrl: string;
  model: string;
  usage: Usage;
  /** When the call was made: some prices change by date or by time of day. */
  at: Date;
  /** The tier in which the provider says it served the call (`flex`, `priority`, `batch` ...); null if it names none. */
  serviceTier?: string | null;
}

/** The cost of a call. */
export interface UsagePrice {
  /** Whole nano-dollars; 0 if the model has no known price. */
  costNanoUsd: number;
  /**
   * Which price was used, for the lineage payload's `price_version`: the library's version, the operator's file or our
   * supplement if one was used, and the service tier. Null if no price is known.
   */
  priceVersion: string | null;
  priced: boolean;
}

/** Prices one call. Never throws. */
export type PriceUsage = (call: PricedCall) => UsagePrice;
