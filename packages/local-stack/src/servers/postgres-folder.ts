import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../local-stack-config.ts';
import type { Account } from './server.ts';

function lookUp(user: string): Account | null {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, user], { encoding: 'utf8' }));
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : null;
}

/** The user to run Postgres as. It refuses to run as root, so there it is `postgres`, or `nobody`. */
export function choosePostgresAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const known = lookUp('postgres') ?? lookUp('nobody');
  if (known) return known;
  throw new StartError(
    'Postgres does not run as root, and there is no user postgres or nobody: start this as an ordinary user.',
  );
}

/** True if the user can enter the folder and write to it. Tried, because rights above the folder count too. */
export function canWrite(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0" && test -w .', folder], { cwd: '/', ...account }).status === 0;
}

/** Where root keeps data that other users must reach. */
export const outsideFolder = '/var/lib/agp-local';

/** A folder that Postgres may write to, and the user to run it as (none: ourselves). */
interface PostgresPlace {
  folder: string;
  account?: Account;
}

/**
 * Makes, or finds again, the folder for the Postgres of a data folder. It lies inside, unless we are root and the user that Postgres
 * runs as cannot go there, as in a clone under /root. It then lies in `outside`, named after the superuser's password: so it
 * follows a data folder that is moved, and a fresh clone at the same path begins without data.
 * @param account the user to run it as; undefined if we are not root
 * @throws StartError if there is data inside that the user can no longer reach
 */
export function placePostgres(
  dataFolder: string,
  account: Account | undefined,
  password: string,
  outside = outsideFolder,
): PostgresPlace {
  const inside = join(dataFolder, 'postgres');
  // Without the mode below, which recursive mkdir gives to parents too.
  mkdirSync(dataFolder, { recursive: true });
  if (account === undefined) {
    mkdirSync(inside, { recursive: true, mode: 0o700 });
    return { folder: inside };
  }
  const owner = makeFor(account, inside);
  if (canWrite(inside, owner)) return { folder: inside, account: owner };
  if (existsSync(join(inside, 'data')))
    throw new StartError(
      `Postgres runs as user ${owner.uid}, who cannot reach its data in ${inside}. Make the folders above it open to others.`,
    );
  mkdirSync(outside, { recursive: true, mode: 0o755 });
  const folder = join(outside, createHash('sha256').update(password).digest('hex').slice(0, 16));
  return { folder, account: makeFor(account, folder) };
}

/** Makes the folder unless it is there. @returns its owner, as whom Postgres must run */
function makeFor(account: Account, folder: string): Account {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).uid === 0) chownSync(folder, account.uid, account.gid);
  const { uid, gid } = statSync(folder);
  return { uid, gid };
}
