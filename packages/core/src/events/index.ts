export * from './event-message.ts';
export * from './event-notes.ts';
export * from './event-policy.ts';
export * from './unpriced-units.ts';
