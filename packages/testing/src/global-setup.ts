import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { buildConsole } from '@agp/console/build';
import { prepareDatabase, readLocalStackConfig } from '@agp/local-stack';
import type { ServerBinary } from '@agp/local-stack/servers';
import { findServer, openGuard } from '@agp/local-stack/servers';
import { type DatabasePasswords, databaseUsers } from '@agp/operator';
import type { TestProject } from 'vitest/node';
import { createDatabase } from './servers/databases.ts';
import {
  chooseTestFolder,
  copyPristine,
  type PostgresKit,
  preparePostgresKit,
  startOnFolder,
  startThrowAwayPostgres,
} from './servers/throw-away-postgres.ts';

/** Servers and data that a test run shares: found, initialised and migrated once, with the product's roles. */
export interface TestServers {
  nats: ServerBinary;
  redis: ServerBinary;
  /** Servers on copies of its data have the roles, and the database `templateName`, which is migrated. */
  postgres: PostgresKit;
  /** Servers on copies of its data have neither roles nor databases. */
  blankPostgres: PostgresKit;
  passwords: DatabasePasswords;
  /** One of those servers. */
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

/** Vitest's global setup: starts what the stacks of a run share, and stops it after the last test. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildConsole({ report: (line) => console.log(line) });
  const { servers, stop } = await startTestServers();
  project.provide('agpTestServers', servers);
  return stop;
}

/** Starts what the stacks of a run share. */
export async function startTestServers(): Promise<{ servers: TestServers; stop: () => Promise<void> }> {
  // The runner transforms TypeScript itself, but the processes that tests start are run by Node alone.
  if (!process.features.typescript)
    throw new Error(`Node ${process.version} is too old for the tests: use "npm test".`);
  const config = readLocalStackConfig(process.env, (line) => console.log(`test servers: ${line}`));
  const guard = openGuard();
  try {
    const parent = await chooseTestFolder();
    const folder = await mkdtemp(join(parent, 'agp-test-'));
    guard.removeFolder(folder);
    const [postgres, nats, redis] = await Promise.all([
      preparePostgresKit(config, guard, parent),
      findServer('nats', config),
      findServer('redis', config),
    ]);
    const passwords = makePasswords();
    const blankPostgres = { ...postgres, pristine: await copyPristine(postgres, guard) };
    const first = await startOnFolder(postgres.pristine, postgres, guard);
    await prepareDatabase(await createDatabase(first.url, templateName), passwords);
    await first.stop();
    const { url: postgresUrl } = await startThrowAwayPostgres(postgres, guard);
    const servers = { nats, redis, postgres, blankPostgres, passwords, postgresUrl, folder };
    return { servers, stop: () => guard.stop() };
  } catch (error) {
    await guard.stop();
    throw error;
  }
}

const makePasswords = () =>
  Object.fromEntries(databaseUsers.map((user) => [user, randomUUID()])) as Record<
    (typeof databaseUsers)[number],
    string
  >;
