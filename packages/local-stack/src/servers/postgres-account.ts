import { spawnSync } from 'node:child_process';
import { StartError } from '../start-error.ts';
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
