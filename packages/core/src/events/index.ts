export * from './event-fields.ts';
export * from './event-message.ts';
export * from './event-policy.ts';
