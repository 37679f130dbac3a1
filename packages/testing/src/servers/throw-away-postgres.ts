import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, chown, constants, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LocalStackConfig } from '@agp/local-stack';
import {
  type Account,
  canWrite,
  choosePostgresAccount,
  findPostgres,
  type Guard,
  initPostgres,
  makePostgresReachable,
  type PostgresBinaries,
  startPostgres,
  type TlsFiles,
} from '@agp/local-stack/servers';
import { controlServer, type Server } from './server.ts';

const run = promisify(execFile);

export interface PostgresKit {
  binaries: PostgresBinaries;
  account?: Account;
  password: string;
  pristine: string;
  folder: string;
}

async function makeThrowAwayFolder(first: string, guard: Guard, account: Account | undefined): Promise<string> {
  for (const parent of [first, '/tmp']) {
    const folder = await mkdtemp(join(parent, 'agp-test-'));
    if (account) await chown(folder, account.uid, account.gid);
    if (account === undefined || canWrite(folder, account)) {
      guard.removeFolder(folder);
      return folder;
    }
    await rm(folder, { recursive: true });
  }
  throw new Error(`Postgres' user can write neither to ${first} nor to /tmp`);
}

/** Finds Postgres and initialises the data that throw-away servers start from. */
export async function preparePostgresKit(
  config: LocalStackConfig,
  guard: Guard,
  parent = tmpdir(),
): Promise<PostgresKit> {
  const account = choosePostgresAccount();
  const binaries = await makePostgresReachable(findPostgres(config), account);
  const folder = await makeThrowAwayFolder(parent, guard, account);
  const pristine = join(folder, 'pristine');
  // A superuser of Postgres can run programs as its account, so other users of the machine must not log in.
  const password = randomUUID();
  await initPostgres(pristine, { guard, binaries, password, ...(account ? { account } : {}) });
  return { binaries, password, pristine, folder, ...(account ? { account } : {}) };
}

/** Copies the pristine data to a folder that the guard removes. */
export async function copyPristine(kit: PostgresKit, guard: Guard): Promise<string> {
  const folder = join(kit.folder, `data-${randomUUID()}`);
  guard.removeFolder(folder);
  await run('cp', ['-a', kit.pristine, folder]);
  return folder;
}

/** Starts Postgres on a data folder of a kit, which may be lost. */
export async function startOnFolder(
  folder: string,
  kit: PostgresKit,
  guard: Guard,
  settings: readonly string[] = [],
): Promise<Server> {
  const server = await startPostgres(folder, {
    ...kit,
    guard,
    // A commit without fsync is in the system's cache, so it survives a killed process.
    settings: ['fsync=off', 'full_page_writes=off', ...settings],
    // SIGKILL would leave its shared memory behind.
    stopSignals: ['SIGQUIT'],
  });
  return controlServer(server, ['SIGINT', 'SIGQUIT']);
}

export async function startThrowAwayPostgres(kit: PostgresKit, guard: Guard, tls?: TlsFiles): Promise<Server> {
  const folder = await copyPristine(kit, guard);
  const own = tls && (await ownTlsFiles(tls, folder, kit.account));
  const settings = own && ['ssl=on', `ssl_cert_file=${own.certFile}`, `ssl_key_file=${own.keyFile}`];
  return startOnFolder(folder, kit, guard, settings);
}

/** Postgres only takes a key from a file that belongs to its own user. */
async function ownTlsFiles(tls: TlsFiles, folder: string, account: Account | undefined): Promise<TlsFiles> {
  const own = { certFile: join(folder, 'server.crt'), keyFile: join(folder, 'server.key') };
  for (const name of ['certFile', 'keyFile'] as const) {
    await writeFile(own[name], await readFile(tls[name]), { mode: 0o600 });
    if (account) await chown(own[name], account.uid, account.gid);
  }
  return own;
}

/** Several times what a test run keeps there at once, in bytes. */
const enoughBytes = 4 * 1024 ** 3;

/** Where test servers keep their data: in memory if there is plenty, since a copy on disk costs most of a second; or `TMPDIR`. */
export async function chooseTestFolder(memory = '/dev/shm', enough = enoughBytes): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    await access(memory, constants.W_OK);
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize < enough ? tmpdir() : memory;
  } catch {
    return tmpdir();
  }
}
