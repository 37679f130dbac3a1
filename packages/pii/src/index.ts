export { unmask } from './disguise/unmask.ts';
export * from './find-pii.ts';
export * from './pii-types.ts';
