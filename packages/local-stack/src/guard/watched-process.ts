import { setTimeout as sleep } from 'node:timers/promises';
import { readStartTime, signalProcess, signalTree } from './process-identity.ts';

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
