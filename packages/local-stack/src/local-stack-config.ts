import { resolve } from 'node:path';

/** The checkout that this file belongs to. */
export const repositoryRoot = resolve(import.meta.dirname, '../../..');

export interface LocalStackConfig {
  /** Where everything is kept between runs. */
  dataFolder: string;
  /** The folders to look for servers in, separated by colons. */
  searchPath: string;
  /** Take the Postgres from the registry even where the system has one. */
  embeddedPostgres: boolean;
  /** Shows a line about something that takes a while. */
  report: (line: string) => void;
}

/** Reads `AGP_DATA_DIR` (default `.data` in the checkout), `AGP_POSTGRES` (`embedded`, or unset) and `PATH`. */
export function readLocalStackConfig(environment: NodeJS.ProcessEnv, report: (line: string) => void): LocalStackConfig {
  return {
    dataFolder: resolve(repositoryRoot, environment.AGP_DATA_DIR || '.data'),
    searchPath: environment.PATH ?? '',
    embeddedPostgres: environment.AGP_POSTGRES === 'embedded',
    report,
  };
}
