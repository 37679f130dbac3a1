export type { NatsConnection } from 'nats';
export * from './announcements.ts';
export * from './connect.ts';
export * from './ensure-event-stream.ts';
export * from './names.ts';
export * from './outbox.ts';
