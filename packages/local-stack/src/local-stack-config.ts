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

/**
 * Node's flags for the services, here and in benchmarks. Most objects of a request or an event are garbage a moment later: a large
 * young generation is collected seldom and finds little alive. It costs up to 100 MB a process; `npm run bench:proxy` shows the gain.
 */
export const serviceFlags: readonly string[] = ['--max-semi-space-size=32'];

/** The local stack cannot start, for a reason that the user can change: shown without a stack trace. */
export class StartError extends Error {
  readonly code: string = 'cannot_start';
}
