export * from './money.ts';
export * from './price-usage.ts';
export * from './usage.ts';
