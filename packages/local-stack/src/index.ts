export { type Guard, openGuard } from './guard/guard.ts';
export { type DurableServers, startDurableServers } from './start-durable-servers.ts';
