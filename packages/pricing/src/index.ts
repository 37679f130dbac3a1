export type { UsageLimits } from './bound-charge.ts';
export { priceVersion } from './library-prices.ts';
export * from './model-bounds.ts';
export { type PriceEntry, type PriceFile, PriceFileError, parsePriceFile } from './price-file.ts';
export * from './price-usage.ts';
export * from './priced-call.ts';
export * from './usage.ts';
