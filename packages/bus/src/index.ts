export type { NatsConnection } from 'nats';
export * from './announcements.ts';
export * from './connect.ts';
export * from './consume-events.ts';
export * from './ensure-event-stream.ts';
export * from './names.ts';
export * from './outbox.ts';
export * from './parcel.ts';
export * from './read-backlog.ts';
