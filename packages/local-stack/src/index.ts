export { type Guard, openGuard } from './guard/guard.ts';
export { type LocalStackConfig, readLocalStackConfig, repositoryRoot, serviceFlags } from './local-stack-config.ts';
export { prepareDatabase } from './run-migrations.ts';
export { type DurableServers, startDurableServers } from './start-durable-servers.ts';
