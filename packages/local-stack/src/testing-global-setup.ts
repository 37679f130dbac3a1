import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findServer } from './binaries/find-server.ts';
import type { ServerBinary } from './binaries/server-binary.ts';
import { openGuard } from './guard/guard.ts';
import { readLocalStackConfig } from './local-stack-config.ts';
import { runMigrations } from './run-migrations.ts';
import { createDatabase } from './servers/databases.ts';
import { type PostgresKit, preparePostgresKit, startThrowAwayPostgres } from './servers/throw-away-postgres.ts';

/** What one test run shares: found, initialised and migrated once. */
export interface TestServers {
  nats: ServerBinary;
  redis: ServerBinary;
  postgres: PostgresKit;
  /** A running Postgres, whose database `templateName` is migrated. */
  postgresUrl: string;
  /** Where the stacks keep their data. */
  folder: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    agpTestServers: TestServers;
  }
}

export const templateName = 'agp_template';

/** Starts what the stacks of a vitest run share, and stops it after the last test. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The runner transforms TypeScript itself, but the processes that tests start are run by Node alone.
  if (!process.features.typescript)
    throw new Error(`Node ${process.version} is too old for the tests: use "npm test".`);
  const config = readLocalStackConfig(process.env, (line) => console.log(`test servers: ${line}`));
  const guard = openGuard();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'agp-test-'));
    guard.removeFolder(folder);
    const [postgres, nats, redis] = await Promise.all([
      preparePostgresKit(config, guard),
      findServer('nats', config),
      findServer('redis', config),
    ]);
    const { url: postgresUrl } = await startThrowAwayPostgres(postgres, guard);
    await runMigrations(await createDatabase(postgresUrl, templateName));
    project.provide('agpTestServers', { nats, redis, postgres, postgresUrl, folder });
  } catch (error) {
    await guard.stop();
    throw error;
  }
  return () => guard.stop();
}
