export * from './find-pii.ts';
export * from './pii-types.ts';
export { unmask } from './text/unmask.ts';
