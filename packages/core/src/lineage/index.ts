export * from './build-payload.ts';
export * from './find-divergence.ts';
export * from './link.ts';
