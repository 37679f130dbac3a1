export * from './contract.ts';
export type { Shares } from './facts.ts';
export * from './kinds.ts';
export type { MonthlyCosts } from './monthly-costs.ts';
export * from './schema.ts';
export * from './targets.ts';
