import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { parseJson } from '@agp/core/json';
import type { GuardMessage } from './guard-process.ts';
import { readStartTime, stopAllWatched, type WatchedProcess } from './watched-process.ts';

/** How a process is stopped: see `WatchedProcess`. */
type StopPlan = Pick<WatchedProcess, 'name' | 'stopSignals' | 'graceMs' | 'stage'>;

/** Makes sure that its processes and folders go when we go, even by SIGKILL. */
export interface Guard extends AsyncDisposable {
  /** Takes a child in charge until it exits. After `stop` it is killed. Call it in the same tick as its spawn. */
  watch(child: ChildProcess, plan: StopPlan): void;
  /** Takes a folder in charge: it is removed after the last process is gone. */
  removeFolder(folder: string): void;
  /** Stops everything, stage by stage, and resolves when it is gone. Safe to call twice. */
  stop(): Promise<void>;
  /** Kills everything at once; `stop` then resolves soon. */
  kill(): void;
}

interface GuardOptions {
  /** Keeps the list of running processes in this file, for `stopLeftovers` at the next start. */
  recordFile?: string;
  /** It does not keep this process from ending. */
  isBackground?: boolean;
}

/** Starts a guard. Messages written before it is up wait in the pipe. */
export function openGuard(options: GuardOptions = {}): Guard {
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'guard-process.ts')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    cwd: '/',
  });
  if (options.isBackground) {
    guard.unref();
    (guard.stdin as Socket).unref();
  }
  const gone = once(guard, 'exit');
  // A guard that is gone takes no more messages; `stop` resolves all the same.
  guard.stdin.on('error', () => {});
  const running = new Map<number, WatchedProcess>();
  const send = (message: GuardMessage) => guard.stdin.write(`${JSON.stringify(message)}\n`);
  const record = () => {
    if (!options.recordFile) return;
    // Whoever reads it, or is killed here, finds one whole list or the other.
    writeFileSync(`${options.recordFile}.new`, JSON.stringify([...running.values()]));
    renameSync(`${options.recordFile}.new`, options.recordFile);
  };
  const stop = async () => {
    guard.stdin.end();
    await gone;
  };
  return {
    watch(child, plan) {
      const { pid } = child;
      const startTime = pid === undefined ? null : readStartTime(pid);
      if (pid === undefined || startTime === null) return;
      if (guard.stdin.writableEnded) {
        child.kill('SIGKILL');
        return;
      }
      const watched: WatchedProcess = { ...plan, pid, startTime };
      send({ watch: watched });
      running.set(pid, watched);
      record();
      child.once('exit', () => {
        running.delete(pid);
        record();
      });
    },
    removeFolder: (folder) => send({ removeFolder: folder }),
    stop,
    kill: () => guard.kill('SIGTERM'),
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Stops recorded processes that still run, because the guard of an earlier run was killed with it.
 * The caller must know that the earlier run is over.
 */
export async function stopLeftovers(recordFile: string): Promise<void> {
  let left: WatchedProcess[];
  try {
    left = parseJson(readFileSync(recordFile)) as WatchedProcess[];
  } catch {
    return; // never written, or cut off by a crash of the machine, which ended the processes as well
  }
  await stopAllWatched(left);
  rmSync(recordFile, { force: true });
}
