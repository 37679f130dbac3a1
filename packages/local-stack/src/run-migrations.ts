import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DatabasePasswords, type DatabaseUser, databaseUsers, toDatabaseUrls } from '@agp/operator';
import { repositoryRoot, StartError } from './local-stack-config.ts';

const run = promisify(execFile);
const { NODE_COMPILE_CACHE = '' } = process.env;

class MigrationError extends StartError {
  override readonly code = 'migration_failed';
}

/** Runs a command of packages/operator as a process: this package may not import packages/db. @returns its output */
async function runCommand(name: string, environment: Record<string, string>, failure: string): Promise<string> {
  const command = join(repositoryRoot, `packages/operator/src/commands/${name}.ts`);
  const { stdout } = await run(process.execPath, [command], {
    env: { NODE_COMPILE_CACHE, ...environment },
  }).catch((error: { stderr?: string }) => {
    throw new MigrationError(`${failure}:\n${error.stderr?.trim()}`);
  });
  return stdout.trim();
}

export function runMigrations(databaseUrl: string): Promise<string> {
  return runCommand('migrate', { DATABASE_URL: databaseUrl }, "The database's schema cannot be brought up to date");
}

/** Makes the roles, hands the database over to the migrator, and brings the schema up to date as the migrator. */
export async function prepareDatabase(
  adminUrl: string,
  passwords: DatabasePasswords,
): Promise<(user: DatabaseUser) => string> {
  const variables = databaseUsers.map((user) => [`AGP_${user.toUpperCase()}_PASSWORD`, passwords[user]]);
  const environment = { DATABASE_URL: adminUrl, ...Object.fromEntries(variables) };
  await runCommand('create-roles', environment, "The database's roles cannot be made");
  const urlOf = toDatabaseUrls(adminUrl, passwords);
  await runMigrations(urlOf('migrator'));
  return urlOf;
}
