import { readStartTime, signalProcess, signalTree } from './process-identity.ts';

/** A process that must not outlive us, and how it wants to be stopped. */
export interface WatchedProcess {
  name: string;
  pid: number;
  /** From `readStartTime`: what tells it from a stranger that got its pid later. */
  startTime: string;
  /** Sent one after the other until it is gone; SIGKILL comes after the last. */
  stopSignals: NodeJS.Signals[];
  /** How long each signal is given, in milliseconds. */
  graceMs: number;
  /** Lower stages are stopped first: services before the servers they talk to. */
  stage: number;
}

/** True while this very process runs. */
export function isRunning(watched: WatchedProcess): boolean {
  return readStartTime(watched.pid) === watched.startTime;
}

async function waitUntilGone(watched: WatchedProcess, withinMs: number): Promise<boolean> {
  for (const end = performance.now() + withinMs; performance.now() < end; ) {
    if (!isRunning(watched)) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return !isRunning(watched);
}

/** Stops one process, and its children where it leaves us no other way. Resolves when it is gone. */
export async function stopWatched(watched: WatchedProcess): Promise<void> {
  for (const signal of watched.stopSignals) {
    if (!isRunning(watched)) return;
    signalProcess(watched.pid, signal);
    // A suspended process would look at the signal only when it is woken.
    signalTree(watched.pid, 'SIGCONT');
    if (await waitUntilGone(watched, watched.graceMs)) return;
  }
  if (!isRunning(watched)) return;
  signalTree(watched.pid, 'SIGKILL');
  await waitUntilGone(watched, watched.graceMs);
}

/** Stops all, stage by stage. */
export async function stopAllWatched(all: WatchedProcess[]): Promise<void> {
  for (const stage of [...new Set(all.map((watched) => watched.stage))].sort((a, b) => a - b))
    await Promise.all(all.filter((watched) => watched.stage === stage).map(stopWatched));
}
