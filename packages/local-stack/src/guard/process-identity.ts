// Every child is started as a process group of its own, but a signal to the group is not enough: Postgres' backends leave it
// (setsid), and a suspended server must be suspended with them. A pid alone is not enough either: the next start may find it
// given to another program.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface ProcessStatus {
  parent: number;
  state: string;
  startTime: string;
}

/** Fields 3, 4 and 22 of `/proc/<pid>/stat` (proc_pid_stat(5)); the second is the name, in brackets, and may hold spaces. */
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

/** Sends a signal; a process that is gone already is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
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
