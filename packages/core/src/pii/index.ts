export * from './find-pii.ts';
export * from './pii-types.ts';
