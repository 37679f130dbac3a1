import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `node run-daily.ts <script> [arguments]`: runs a command now and then once a day, for deployments without a scheduler. One
 * that failed is tried again after an hour. SIGTERM and SIGINT end it, and what it runs.
 */
const dayMs = 24 * 60 * 60_000;
const hourMs = 60 * 60_000;

const stopped = new AbortController();
// Without a handler neither would end process 1 of a container.
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopped.abort());

/** @returns whether it was done */
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
