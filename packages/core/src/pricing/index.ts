export * from './money.ts';
export * from './usage.ts';
