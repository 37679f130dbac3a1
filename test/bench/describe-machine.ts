import { cpus, loadavg } from 'node:os';

/** The machine, and what it did in the last minute: figures of a busy one say little. */
export function describeMachine(): string {
  const [load = 0] = loadavg();
  return `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}, load of the last minute ${load.toFixed(1)}`;
}
