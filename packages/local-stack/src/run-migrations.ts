import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './local-stack-config.ts';

const run = promisify(execFile);

/** The schema could not be brought up to date. The message is the migrate command's own. */
export class MigrationError extends Error {
  readonly code = 'migration_failed';
}

/**
 * Brings a database's schema up to date with the migrate command of packages/db, as a process: this package may not import it.
 *
 * @returns what the command printed
 */
export async function runMigrations(databaseUrl: string): Promise<string> {
  const command = join(repositoryRoot, 'packages/db/src/commands/migrate.ts');
  const migration = run(process.execPath, [command], { env: { DATABASE_URL: databaseUrl } });
  const { stdout } = await migration.catch((error: { stderr?: string }) => {
    throw new MigrationError(`The database's schema cannot be brought up to date:\n${error.stderr?.trim()}`);
  });
  return stdout.trim();
}
