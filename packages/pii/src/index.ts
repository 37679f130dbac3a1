export * from './find-pii.ts';
export { compilePattern } from './own-pattern.ts';
export * from './pii-types.ts';
export { unmask } from './text/unmask.ts';
export * from './text-search.ts';
