import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readStartTime } from '../guard/process-identity.ts';

/** True if the process may be a Postgres on this data: its working folder is its data folder. */
function usesData(pid: number, folder: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return false; // another user's process; ours runs as a user whose processes we may look at
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(folder);
}

/**
 * Removes the pid file that a Postgres left when it was killed, if its pid belongs to another program by now. Postgres refuses to start
 * beside any running process of that pid, but deals by itself with one that does not run.
 */
export function removeStalePidFile(folder: string): void {
  const file = join(folder, 'postmaster.pid');
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return;
  }
  if (readStartTime(pid) !== null && !usesData(pid, folder)) rmSync(file);
}
