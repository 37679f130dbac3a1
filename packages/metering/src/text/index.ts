export * from './create-offload.ts';
export * from './text-source.ts';
