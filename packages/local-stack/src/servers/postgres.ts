import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { readCommand } from '../guard/watched-process.ts';
import { StartError } from '../local-stack-config.ts';
import type { PostgresBinaries } from './find-postgres.ts';
import { type Account, type RunningServer, type ServerOptions, startServer } from './server.ts';

/** The superuser of every private Postgres, and the name of the services' database. */
export const postgresUser = 'agp';

interface PostgresOptions extends ServerOptions {
  binaries: PostgresBinaries;
  /** The user to run as; only for root, who must not run Postgres. */
  account?: Account;
  password: string;
  settings?: readonly string[];
}

class InitDatabaseError extends StartError {
  override readonly code = 'initdb_failed';
}

const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Makes an empty Postgres data folder. Byte order sorts text, as it does everywhere in the product. */
export async function initPostgres(
  folder: string,
  options: Pick<PostgresOptions, 'binaries' | 'account' | 'password' | 'guard'>,
): Promise<void> {
  const passwordFile = `${folder}.password`;
  try {
    await writeFile(passwordFile, options.password, { mode: 0o600 });
    if (options.account) await chown(passwordFile, options.account.uid, options.account.gid);
    const args = ['-D', folder, '-U', postgresUser, '-E', 'UTF8', '--locale=C', '-A', 'scram-sha-256'];
    const initdb = spawn(
      options.binaries.initdb,
      [...args, '--pwfile', passwordFile, '--no-sync', '--no-instructions'],
      {
        cwd: '/',
        env: environment,
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
        ...options.account,
      },
    );
    options.guard.watch(initdb, { name: 'initdb', stopSignals: ['SIGTERM'], graceMs: 2_000, stage: 1 });
    const [[code], message] = await Promise.all([once(initdb, 'exit'), text(initdb.stderr)]);
    if (code !== 0) throw new InitDatabaseError(`initdb could not make ${folder}:\n${message.trim()}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Starts Postgres on a data folder that `initPostgres` made. The url names the database `postgres`. */
export function startPostgres(folder: string, options: PostgresOptions): Promise<RunningServer> {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    'logging_collector=off',
    'log_destination=stderr',
    'lc_messages=C',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(options.settings ?? []),
  ].flatMap((setting) => ['-c', setting]);
  return startServer(
    {
      name: 'postgres',
      file: options.binaries.postgres,
      args: (port) => ['-D', folder, '-p', String(port), ...settings],
      environment,
      ...(options.account ? { account: options.account } : {}),
      // A standby accepts read-only ones.
      readyLine: /database system is ready to accept (read-only )?connections/,
      // Fast shutdown, then immediate (postgres, "Shutting Down the Server").
      stopSignals: ['SIGINT', 'SIGQUIT'],
      url: (port) => `postgres://${postgresUser}:${options.password}@127.0.0.1:${port}/postgres`,
    },
    options,
  );
}

/** Removes the pid file of a killed Postgres whose pid is another program's now: Postgres would refuse to start. */
export function removeStalePidFile(folder: string): void {
  const file = join(folder, 'postmaster.pid');
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return;
  }
  // Without `ps` nothing is known of it: Postgres itself takes a pid that nobody has for stale.
  const command = readCommand(pid);
  if (command !== '' && !command.includes(folder)) rmSync(file);
}

/** Makes a database unless it is there, for this package may not import packages/db. The name must be a plain identifier. @returns its URL */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${name}" STRATEGY FILE_COPY`);
  } finally {
    await client.end();
  }
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
