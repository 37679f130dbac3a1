export { type Guard, openGuard } from './guard/guard.ts';
export { serviceFlags } from './service-flags.ts';
export { type DurableServers, startDurableServers } from './start-durable-servers.ts';
