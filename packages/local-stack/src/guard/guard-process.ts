/**
 * The guard: a small process that outlives the one that started it, and then stops what that one left.
 *
 * It reads on its standard input, as JSON lines, which processes and folders there are. The input ends with a normal stop, an exit
 * and SIGKILL of the parent alike, since the kernel closes the pipe. The guard then stops the processes stage by stage, removes
 * the folders, and exits. SIGTERM makes it kill at once. It has a session of its own, out of reach of the terminal's Ctrl-C.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseJson } from '@agp/core/json';
import { signal, stopAllWatched, type WatchedProcess } from './watched-process.ts';

export type GuardMessage = { watch: WatchedProcess } | { forget: number } | { removeFolder: string };

let watched: WatchedProcess[] = [];
const folders: string[] = [];
const forget = (gone: number) => {
  watched = watched.filter(({ pid }) => pid !== gone);
};

process.on('SIGTERM', () => {
  for (const { pid } of watched) signal(-pid, 'SIGKILL');
});
for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const message = parseJson(line) as GuardMessage;
  if ('watch' in message) watched.push(message.watch);
  else if ('forget' in message) forget(message.forget);
  else folders.push(message.removeFolder);
}

await stopAllWatched(watched, forget);
for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
