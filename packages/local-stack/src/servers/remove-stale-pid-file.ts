import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readStartTime } from '../guard/process-identity.ts';

/** True if the process may be a Postgres on this data: its working folder is its data folder. */
function usesData(pid: number, folder: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return false; // another user's process, so not our Postgres
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(folder);
}

/**
 * Removes the pid file that a killed Postgres left, if its pid now belongs to another program. Postgres refuses to start as long as
 * any process has that pid; it handles a pid that is free by itself.
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
