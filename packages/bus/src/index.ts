export type { NatsConnection } from 'nats';
export * from './announcements.ts';
export * from './connect.ts';
export * from './consume-events.ts';
export * from './outbox.ts';
export * from './parcel.ts';
export * from './replay-kept-events.ts';
export * from './streams.ts';
