/**
 * The guard: a small process that outlives the one that started it, however that one ends, and then stops what it left.
 *
 * It learns on its standard input, one JSON message a line, which processes and folders there are. When the input ends
 * (a normal stop, an exit, or SIGKILL of the parent: the kernel closes the pipe), it stops the processes stage by stage,
 * removes the folders, and exits. SIGTERM makes it kill at once. It has a session of its own, so that the terminal's
 * Ctrl-C does not reach it.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseJson } from '@agp/core/json';
import { signalTree } from './process-identity.ts';
import { isRunning, stopAllWatched, type WatchedProcess } from './watched-process.ts';

/** What the guard is told. */
export type GuardMessage = { watch: WatchedProcess } | { forget: number } | { removeFolder: string };

const watched = new Map<number, WatchedProcess>();
const folders: string[] = [];

process.on('SIGTERM', () => {
  for (const one of watched.values()) if (isRunning(one)) signalTree(one.pid, 'SIGKILL');
});
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const message = parseJson(line) as GuardMessage;
  if ('watch' in message) watched.set(message.watch.pid, message.watch);
  else if ('forget' in message) watched.delete(message.forget);
  else folders.push(message.removeFolder);
}

await stopAllWatched([...watched.values()]);
for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
