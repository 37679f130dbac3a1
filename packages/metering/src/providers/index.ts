export * from './format-stream-error.ts';
export * from './match-operation.ts';
export * from './operation.ts';
