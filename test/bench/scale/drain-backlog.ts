import type { ChildProcess } from 'node:child_process';
import type { BusConnection } from '@agp/bus';
import { makeTraffic } from '@agp/testing/events';
import { type Usage, usagePerRequest } from '../product/product-usage.ts';
import { waitUntilRecorded } from '../product/wait-until-recorded.ts';
import { publishAll } from '../publish-all.ts';

export interface Drain {
  eventsPerSecond: number;
  /** Of each part for each event, in microseconds. */
  usage: Usage;
}

/** Lets a backlog pile up while the writers are suspended, and times how they record it. */
export async function drainBacklog(
  connection: BusConnection,
  writers: readonly ChildProcess[],
  readUsage: () => Usage,
  events: number,
): Promise<Drain> {
  for (const writer of writers) writer.kill('SIGSTOP');
  try {
    await publishAll(connection, makeTraffic({ events, agents: 20, sessions: 200, eventsPerSession: 20 }));
  } finally {
    for (const writer of writers) writer.kill('SIGCONT');
  }
  const [before, started] = [readUsage(), performance.now()];
  await waitUntilRecorded(connection);
  const seconds = (performance.now() - started) / 1_000;
  return { eventsPerSecond: events / seconds, usage: usagePerRequest(before, readUsage(), events) };
}
