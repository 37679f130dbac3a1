import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that must not outlive us, the leader of a group of its own, and how it is stopped. */
export interface WatchedProcess {
  name: string;
  pid: number;
  /** Sent one after the other until it is gone; SIGKILL comes after the last. */
  stopSignals: NodeJS.Signals[];
  /** How long each signal is given, in milliseconds. */
  graceMs: number;
  /** Lower stages are stopped first: services before the servers that they use. */
  stage: number;
}

/** Rows of `ps`; none on a system without it. */
function listRows(args: readonly string[]): string[] {
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = spawnSync('ps', args, { encoding: 'utf8', env });
  return (stdout ?? '').split('\n').flatMap((row) => row.trim() || []);
}

/** The pids whose parent is `pid`. Postgres' backends leave its group, so a signal to the group does not reach them. */
export function listChildren(pid: number): number[] {
  const pairs = listRows(['-A', '-o', 'pid=,ppid=']).map((row) => row.split(/\s+/).map(Number));
  return pairs.flatMap(([child, parent]) => (parent === pid && child ? [child] : []));
}

/** When a process began, to a second; undefined for one that is gone. */
export function readStart(pid: number): number | undefined {
  const [row] = listRows(['-o', 'stat=,lstart=', '-p', String(pid)]);
  const [state = 'Z', ...began] = row?.split(/\s+/) ?? [];
  return state.startsWith('Z') ? undefined : Date.parse(`${began.join(' ')} UTC`);
}

export function readCommand(pid: number): string {
  return listRows(['-ww', '-o', 'command=', '-p', String(pid)]).join('');
}

/** Signals a process, or with a minus before its pid its group; 0 only asks. @returns false if there is none */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    // macOS says EPERM of a group that only waits to be reaped.
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

const isZombie = (pid: number) => listRows(['-o', 'stat=', '-p', String(pid)])[0]?.startsWith('Z') ?? false;

/** Waits so long at most, in milliseconds. A zombie is gone, though it takes signals: some containers reap none. */
export async function waitUntilGone(pid: number, ms: number): Promise<void> {
  const end = performance.now() + ms;
  for (let look = 1; signal(pid, 0) && performance.now() < end; look += 1) {
    if (look % 50 === 0 && isZombie(pid)) return;
    await sleep(10);
  }
}

/** In milliseconds: a busy machine, or one that waits for its disk, may take this long to end a killed process. */
export const killedMs = 30_000;

/** Stops one process, and its group with it if only SIGKILL helps. Resolves when it is gone. */
export async function stopWatched({
  pid,
  stopSignals,
  graceMs,
}: Omit<WatchedProcess, 'name' | 'stage'>): Promise<void> {
  for (const name of [...stopSignals, 'SIGKILL'] as const) {
    if (!signal(pid, 0) || isZombie(pid)) return;
    signal(name === 'SIGKILL' ? -pid : pid, name);
    // A suspended process would look at the signal only once it is resumed.
    signal(-pid, 'SIGCONT');
    await waitUntilGone(pid, name === 'SIGKILL' ? killedMs : graceMs);
  }
}

/** @param onStopped called with the pid of each as soon as it is gone, since another program may get that */
export async function stopAllWatched(
  all: WatchedProcess[],
  onStopped: (pid: number) => void = () => {},
): Promise<void> {
  const byStage = Map.groupBy(all, ({ stage }) => stage);
  for (const stage of [...byStage.keys()].sort((a, b) => a - b))
    await Promise.all((byStage.get(stage) ?? []).map((each) => stopWatched(each).then(() => onStopped(each.pid))));
}
