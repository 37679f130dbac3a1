import { resolve } from 'node:path';

export const repositoryRoot = resolve(import.meta.dirname, '../../..');

export interface LocalStackConfig {
  dataFolder: string;
  searchPath: string;
  /** Take the Postgres from the registry even if the system has one. */
  embeddedPostgres: boolean;
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
