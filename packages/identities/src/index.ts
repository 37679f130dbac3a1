export * from './contract.ts';
export * from './judge.ts';
export * from './owner.ts';
export * from './schema.ts';
