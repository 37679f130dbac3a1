export * from './build-payload.ts';
export * from './link.ts';
