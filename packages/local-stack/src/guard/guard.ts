import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { parseJson } from '@agp/core/json';
import type { GuardMessage } from './guard-process.ts';
import { readStart, stopAllWatched, type WatchedProcess } from './watched-process.ts';

type StopPlan = Pick<WatchedProcess, 'name' | 'stopSignals' | 'graceMs' | 'stage'>;

/** Makes sure that its processes and folders go when we go, even by SIGKILL. */
export interface Guard extends AsyncDisposable {
  /** Takes a detached child in charge until it exits. After `stop` it is killed. */
  watch(child: ChildProcess, plan: StopPlan): void;
  removeFolder(folder: string): void;
  /** Stops everything, stage by stage, and resolves when it is gone. Safe to call twice. */
  stop(): Promise<void>;
  /** Kills everything at once; `stop` then resolves soon. */
  kill(): void;
}

/** With when it began, which tells it from a program that got its pid later. */
type RecordedProcess = WatchedProcess & { startedAt: number };

interface GuardOptions {
  /** Keeps the list of running processes in this file, for `stopLeftovers` at the next start. */
  recordFile?: string;
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
  const running = new Map<number, RecordedProcess>();
  const send = (message: GuardMessage) => guard.stdin.write(`${JSON.stringify(message)}\n`);
  const record = () => {
    if (!options.recordFile) return;
    // A reader, and a kill just now, finds one whole list or the other.
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
      if (pid === undefined) return;
      if (guard.stdin.writableEnded) {
        child.kill('SIGKILL');
        return;
      }
      send({ watch: { ...plan, pid } });
      running.set(pid, { ...plan, pid, startedAt: Date.now() });
      record();
      child.once('exit', () => {
        running.delete(pid);
        if (!guard.stdin.writableEnded) send({ forget: pid });
        record();
      });
    },
    removeFolder: (folder) => send({ removeFolder: folder }),
    stop,
    kill: () => guard.kill('SIGTERM'),
    [Symbol.asyncDispose]: stop,
  };
}

/** What `ps` says may differ from our clock by so much, in milliseconds. */
const clockToleranceMs = 5_000;

/** Stops recorded processes that still run, because the guard of an earlier run was killed with it. */
export async function stopLeftovers(recordFile: string): Promise<void> {
  let left: RecordedProcess[];
  try {
    left = parseJson(readFileSync(recordFile)) as RecordedProcess[];
  } catch {
    return; // never written, or cut off by a crash of the machine, which ended the processes as well
  }
  const isSame = ({ pid, startedAt }: RecordedProcess) =>
    Math.abs((readStart(pid) ?? 0) - startedAt) < clockToleranceMs;
  await stopAllWatched(left.filter(isSame));
  rmSync(recordFile, { force: true });
}
