import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { listChildren } from '../../../packages/local-stack/src/guard/watched-process.ts';
import { readTreeCpu } from '../process-usage.ts';

/** CPU of each part of the product, in seconds or, divided by requests, in microseconds. */
export type Usage = Record<string, number>;

const serverNames = ['postgres', 'nats', 'redis'];

/** Finds the servers that this process has started. */
function findServers(): [string, number][] {
  return listChildren(process.pid).flatMap((pid) => {
    const command = readFileSync(`/proc/${pid}/comm`, 'utf8');
    const name = serverNames.find((each) => command.startsWith(each));
    return name === undefined ? [] : [[name, pid] as [string, number]];
  });
}

/**
 * Starts to watch services, and the servers that this process has started.
 *
 * @param services by name; the CPU of those with one name is added
 * @returns reads the CPU time that each has used, in seconds
 */
export function watchProduct(services: Record<string, readonly ChildProcess[]>): () => Usage {
  const started = Object.entries(services).flatMap(([name, children]) =>
    children.map(({ pid }): [string, number] => [name, pid as number]),
  );
  const parts = [...started, ...findServers()];
  return () => {
    const usage: Usage = {};
    for (const [name, pid] of parts) usage[name] = (usage[name] ?? 0) + readTreeCpu(pid);
    return usage;
  };
}

/** What was used between two readings, for each of so many requests, in microseconds. */
export function usagePerRequest(before: Usage, after: Usage, requests: number): Usage {
  return Object.fromEntries(
    Object.entries(after).map(([name, cpu]) => [name, ((cpu - (before[name] ?? 0)) / requests) * 1e6]),
  );
}

/** One line: every part and the sum. */
export function describeUsage(usage: Usage): string {
  const whole = Object.values(usage).reduce((sum, cpu) => sum + cpu, 0);
  const parts = Object.entries(usage).map(([name, cpu]) => `${name} ${cpu.toFixed(0)}`);
  return `${whole.toFixed(0)} us: ${parts.join(', ')}`;
}
