export { type DurableServers, startDurableServers } from './start-durable-servers.ts';
export { copyPristine } from './throw-away-postgres.ts';
