export { type Guard, openGuard } from './guard/guard.ts';
export { type LocalStackConfig, readLocalStackConfig, repositoryRoot, serviceFlags } from './local-stack-config.ts';
export { prepareDatabase, runMigrations } from './run-migrations.ts';
