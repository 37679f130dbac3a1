export * from './build-payload.ts';
export * from './chain.ts';
export * from './link.ts';
export * from './removals.ts';
