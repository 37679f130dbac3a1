import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BusConnection, Outbox, readBacklog } from '@agp/bus';
import type { EventMessage } from '@agp/core/events';
import { listChildren, readCommand } from '../../packages/local-stack/src/guard/watched-process.ts';
import { readTreeCpu } from './processes.ts';

/** CPU of each part of the product, in seconds or, divided by requests, in microseconds. */
export type Usage = Record<string, number>;

const serverNames = ['postgres', 'nats', 'redis'];

/** Finds the servers that this process has started. */
export function findServers(): [string, number][] {
  return listChildren(process.pid).flatMap((pid) => {
    const program = readCommand(pid).split(' ', 1)[0]?.split('/').at(-1) ?? '';
    const name = serverNames.find((each) => program.startsWith(each));
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

/** Longer than proxies gather events before they send them. */
const settleMs = 50;
const limitMs = 120_000;

/** Waits until writers have recorded all that proxies have sent. Rejects after two minutes. */
export async function waitUntilRecorded(connection: BusConnection): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    await sleep(settleMs);
    const { pending, unacknowledged } = await readBacklog(connection);
    if (pending + unacknowledged === 0) return;
    if (performance.now() > deadline) throw new Error(`${pending} messages were not recorded within two minutes`);
  }
}

/**
 * Publishes events as a proxy does. Throws when one was not taken in within two minutes.
 *
 * @returns when it began to send, on the clock of `performance.now()`: none is sent before all are there
 */
export async function publishAll(connection: BusConnection, traffic: readonly EventMessage[]): Promise<number> {
  const outbox = new Outbox(connection, { capacity: traffic.length });
  for (const event of traffic) outbox.add(event.id, JSON.stringify(event));
  const started = performance.now();
  const left = await outbox.drain(120_000);
  outbox.stop();
  if (left > 0) throw new Error(`${left} events could not be published`);
  return started;
}
