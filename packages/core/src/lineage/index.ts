export * from './anchor-leaf.ts';
export * from './build-payload.ts';
export * from './find-divergence.ts';
export * from './link.ts';
export * from './merkle-root.ts';
