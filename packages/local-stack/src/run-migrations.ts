import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './local-stack-config.ts';

const run = promisify(execFile);

/**
 * Brings a database's schema up to date with the migrate command of packages/db, as a process: this package may not import it.
 *
 * @returns what the command printed
 */
export async function runMigrations(databaseUrl: string): Promise<string> {
  const command = join(repositoryRoot, 'packages/db/src/commands/migrate.ts');
  const { stdout } = await run(process.execPath, [command], { env: { DATABASE_URL: databaseUrl } });
  return stdout.trim();
}
