import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

// Every child is started as a process group of its own, but a signal to the group is not enough: Postgres' backends leave it
// (setsid), and a suspended server must be suspended with them. A pid alone is not enough either: the next start may find it
// given to another program.

interface ProcessStatus {
  parent: number;
  state: string;
  startTime: string;
}

function readProcStatus(pid: number): ProcessStatus | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startTime: fields[19] ?? '' };
  } catch {
    return null;
  }
}

function runPs(args: string[]): string {
  return spawnSync('ps', args, { encoding: 'utf8', env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } }).stdout.trim();
}

/** When a running process started, as an opaque text; null for one that is gone or a zombie. With its pid it names one process for good. */
export function readStartTime(pid: number): string | null {
  if (process.platform === 'linux') {
    const status = readProcStatus(pid);
    return status === null || status.state === 'Z' ? null : status.startTime;
  }
  const [state, ...started] = runPs(['-o', 'stat=,lstart=', '-p', String(pid)]).split(/\s+/);
  return !state || state.startsWith('Z') ? null : started.join(' ');
}

/** The pids whose parent is `pid`. */
export function listChildren(pid: number): number[] {
  if (process.platform === 'linux') {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.filter((child) => readProcStatus(child)?.parent === pid);
  }
  const rows = runPs(['-A', '-o', 'pid=,ppid=']).split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid && child ? [child] : []));
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Signals a process and its children, and then those that it made in between: after SIGSTOP or SIGKILL it makes no more. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  const before = listChildren(pid);
  signalProcess(pid, signal);
  for (const child of new Set([...before, ...listChildren(pid)])) signalProcess(child, signal);
}

/** A process that must not outlive us, and how it is stopped. */
export interface WatchedProcess {
  name: string;
  pid: number;
  /** From `readStartTime`: distinguishes it from a program that got the same pid later. */
  startTime: string;
  /** Sent one after the other until it is gone; SIGKILL comes after the last. */
  stopSignals: NodeJS.Signals[];
  /** How long each signal is given, in milliseconds. */
  graceMs: number;
  /** Lower stages are stopped first: services before the servers that they use. */
  stage: number;
}

/** Identifies a process, whatever may get its pid later. */
export function identify(pid: number): Pick<WatchedProcess, 'pid' | 'startTime'> {
  return { pid, startTime: readStartTime(pid) ?? 'gone' };
}

/** True while this very process runs. */
export function isRunning({ pid, startTime }: Pick<WatchedProcess, 'pid' | 'startTime'>): boolean {
  return readStartTime(pid) === startTime;
}

/** A killed process is gone at once, but on a machine that is busy or waits for its disk. */
const killedMs = 30_000;

/** Stops one process, and its children with it if only SIGKILL helps. Resolves when it is gone. */
export async function stopWatched(watched: WatchedProcess): Promise<void> {
  for (const signal of [...watched.stopSignals, 'SIGKILL'] as const) {
    if (!isRunning(watched)) return;
    if (signal === 'SIGKILL') signalTree(watched.pid, signal);
    else {
      signalProcess(watched.pid, signal);
      // A suspended process would look at the signal only once it is resumed.
      signalTree(watched.pid, 'SIGCONT');
    }
    const waitMs = signal === 'SIGKILL' ? killedMs : watched.graceMs;
    for (const end = performance.now() + waitMs; isRunning(watched) && performance.now() < end; ) await sleep(10);
  }
}

/** Stops all, stage by stage. */
export async function stopAllWatched(all: WatchedProcess[]): Promise<void> {
  const byStage = Map.groupBy(all, ({ stage }) => stage);
  for (const stage of [...byStage.keys()].sort((a, b) => a - b))
    await Promise.all((byStage.get(stage) ?? []).map(stopWatched));
}
