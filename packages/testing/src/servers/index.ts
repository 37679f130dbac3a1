export { type DurableServers, startDurableServers } from './start-durable-servers.ts';
export { copyPristine, startOnFolder } from './throw-away-postgres.ts';
