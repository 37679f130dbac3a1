export { type Guard, openGuard } from './guard/guard.ts';
export { type LocalStackConfig, readLocalStackConfig, repositoryRoot } from './local-stack-config.ts';
export { prepareDatabase } from './run-migrations.ts';
export { serviceFlags } from './service-flags.ts';
export { type DurableServers, startDurableServers } from './start-durable-servers.ts';
