export * from './bound.ts';
export * from './charge.ts';
export { isToolPrice, makeUsage, maxTokens, readCount, type Usage } from './figures.ts';
export { readGeo, readProfileGeo } from './geos.ts';
export { ownPrice } from './guess.ts';
export * from './list.ts';
export { type AskedModel, priceVersion } from './merge.ts';
export { type PriceEntry, type PriceFile, parsePriceFile } from './price-file.ts';
export * from './providers.ts';
