export * from './contract.ts';
export * from './judge.ts';
export * from './schema.ts';
