export * from './change.ts';
export * from './event.ts';
export * from './failing.ts';
export * from './formats.ts';
export * from './outcome.ts';
export * from './refusal.ts';
