export * from './bounds.ts';
export * from './list-prices.ts';
export * from './price-book.ts';
export { type PriceEntry, type PriceFile, PriceFileError, parsePriceFile } from './price-file.ts';
export * from './price-usage.ts';
export * from './usage.ts';
