import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type Guard, openGuard, stopWatched, type WatchedProcess } from '@agp/local-stack/servers';

let guardOfProcess: Guard | undefined;

/**
 * A guard for one stack. The stacks of a process share one guard process, which costs more to start than a server: it ends what
 * this process leaves behind, and `stop` ends from here what belongs to the stack.
 */
export function openTestGuard(): Guard {
  guardOfProcess ??= openGuard({ isBackground: true });
  const guard = guardOfProcess;
  const watched: { child: ChildProcess; identity: WatchedProcess }[] = [];
  const folders: string[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    await Promise.all(watched.map(({ child, identity }) => end(child, identity)));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 20 })));
  }
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  return {
    watch(child, plan) {
      guard.watch(child, plan);
      if (stopping) child.kill('SIGKILL');
      else if (child.pid !== undefined) watched.push({ child, identity: { ...plan, pid: child.pid } });
    },
    removeFolder(folder) {
      guard.removeFolder(folder);
      folders.push(folder);
    },
    stop,
    kill: () => void watched.map(({ child }) => child.kill('SIGKILL')),
    [Symbol.asyncDispose]: stop,
  };
}

async function end(child: ChildProcess, identity: WatchedProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  // Without a search of all processes for children, which such servers do not have.
  if (identity.stopSignals.length === 0) child.kill('SIGKILL');
  else await stopWatched(identity);
  await exited;
}
