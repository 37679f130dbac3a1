export * from './contract.ts';
export * from './kinds.ts';
export * from './schema.ts';
export * from './targets.ts';
