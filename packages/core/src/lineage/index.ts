export * from './build-payload.ts';
export * from './chain.ts';
export * from './find-divergence.ts';
export * from './link.ts';
export * from './merkle-root.ts';
