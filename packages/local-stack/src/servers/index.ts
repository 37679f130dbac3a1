export { type Guard, openGuard } from '../guard/guard.ts';
export {
  killedMs,
  listChildren,
  signal,
  stopWatched,
  type WatchedProcess,
  waitUntilGone,
} from '../guard/watched-process.ts';
export * from './find-postgres.ts';
export * from './find-server.ts';
export * from './nats.ts';
export * from './postgres.ts';
export * from './postgres-folder.ts';
export * from './redis.ts';
export * from './server.ts';
