export * from './billing-api.ts';
export * from './explain-gap.ts';
export * from './find-known.ts';
export * from './read-bill.ts';
