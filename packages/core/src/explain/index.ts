export * from './outcome.ts';
export * from './refusal.ts';
