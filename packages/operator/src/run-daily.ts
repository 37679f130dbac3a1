import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `node run-daily.ts <script> [arguments]`: runs a command at once and then daily, for deployments without a scheduler.
 */
const dayMs = 24 * 60 * 60_000;
const hourMs = 60 * 60_000;

const stopped = new AbortController();
// Process 1 of a container ignores signals that it does not handle.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopped.abort());

/** @returns true if it succeeded */
async function run(command: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, command, { stdio: 'inherit' });
  const stop = () => child.kill('SIGTERM');
  stopped.signal.addEventListener('abort', stop);
  const [code] = await once(child, 'exit');
  stopped.signal.removeEventListener('abort', stop);
  return code === 0;
}

const command = process.argv.slice(2);
if (command.length === 0) {
  console.error('usage: node run-daily.ts <script> [arguments]');
  process.exit(2);
}
while (!stopped.signal.aborted) {
  const isDone = await run(command);
  await sleep(isDone ? dayMs : hourMs, undefined, { signal: stopped.signal }).catch(() => {});
}
