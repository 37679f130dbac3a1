import { availableParallelism, cpus, loadavg } from 'node:os';

/** The machine, and what it did in the last minute: figures of a busy one say little. */
export function describeMachine(): string {
  const [load = 0] = loadavg();
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return `${availableParallelism()} cores (${model}), Node ${process.version}, load of the last minute ${load.toFixed(1)}`;
}
