import { spawnSync } from 'node:child_process';
import type { Account } from '../servers/server.ts';

/** No user could be found or made for Postgres to run as. */
export class NoAccountError extends Error {
  readonly code = 'no_postgres_account';
}

function lookUp(user: string): Account | null {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, user], { encoding: 'utf8' }));
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : null;
}

/**
 * The user that Postgres runs as where we are root, whom it refuses: `postgres` or `nobody` where they exist, else one that
 * is made. Undefined for an ordinary user, as whom it just runs.
 */
export function choosePostgresAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const known = lookUp('postgres') ?? lookUp('nobody');
  if (known) return known;
  spawnSync('useradd', ['--system', '--no-create-home', 'agp-local']);
  const made = lookUp('agp-local');
  if (made) return made;
  throw new NoAccountError(
    'Postgres does not run as root, and there is no other user: start this as an ordinary user.',
  );
}

/** True if the user can enter the folder and write to it, as the system itself sees it. */
export function canWrite(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0" && test -w .', folder], { cwd: '/', ...account }).status === 0;
}
