export type { Redis } from 'ioredis';
export * from './connect-redis.ts';
export * from './create-throttle.ts';
export * from './idle-sessions.ts';
