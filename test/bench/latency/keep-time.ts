import { parentPort, workerData } from 'node:worker_threads';

/*
 * A thread that says when each moment has come. Timers of Node count whole milliseconds, and the answers of direct requests take a
 * fifth of one: this thread sleeps until shortly before, and spins for the rest.
 */

const spinNs = 60_000n;
const { start, moments } = workerData as { start: bigint; moments: number[] };
const never = new Int32Array(new SharedArrayBuffer(4));

for (const [index, moment] of moments.entries()) {
  const due = start + BigInt(Math.round(moment * 1e6));
  const sleepNs = due - process.hrtime.bigint() - spinNs;
  if (sleepNs > 0n) Atomics.wait(never, 0, 0, Number(sleepNs) / 1e6);
  while (process.hrtime.bigint() < due);
  parentPort?.postMessage(index);
}
