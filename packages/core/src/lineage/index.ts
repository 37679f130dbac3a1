export * from './build-payload.ts';
export * from './chain.ts';
export * from './removals.ts';
