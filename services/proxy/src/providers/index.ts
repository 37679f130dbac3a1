export * from './match-operation.ts';
export * from './operation.ts';
