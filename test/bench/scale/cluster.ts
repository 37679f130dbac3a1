import type { ChildProcess } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BusConnection } from '@agp/bus';
import type { Pool } from '@agp/db';
import { openGuard, readLocalStackConfig } from '@agp/local-stack';
import { findServer } from '@agp/local-stack/servers';
import { makeNatsPasswords } from '@agp/operator';
import { makeTraffic } from '@agp/testing/events';
import { startNatsCluster } from '../../../packages/testing/src/clusters/start-nats-cluster.ts';
import { publishAll, type Usage, usagePerRequest, waitUntilRecorded } from '../product.ts';

/** Starts three NATS servers that are one cluster. Their data is thrown away at the end. @returns their URL */
export async function startCluster(): Promise<{ url: string } & AsyncDisposable> {
  const guard = openGuard();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'agp-bench-'));
    guard.removeFolder(folder);
    const binary = await findServer(
      'nats',
      readLocalStackConfig(process.env, (line) => console.log(line)),
    );
    const cluster = await startNatsCluster(binary, folder, { guard, passwords: makeNatsPasswords() });
    return {
      url: cluster.url,
      [Symbol.asyncDispose]: async () => {
        await cluster[Symbol.asyncDispose]();
        await guard.stop();
      },
    };
  } catch (error) {
    await guard.stop();
    throw error;
  }
}

/** What Postgres has run, since the counters were reset. */
export interface Statement {
  text: string;
  calls: number;
  /** In all, in milliseconds. */
  ms: number;
}

/** Postgres counts statements when it was started with this, and {@link resetStatements} was called once. */
export const countStatements = 'shared_preload_libraries=pg_stat_statements';

/** Starts to count anew. */
export async function resetStatements(pool: Pool): Promise<void> {
  await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await pool.query('SELECT pg_stat_statements_reset()');
}

/** The statements that ran since then, the costliest first. */
export async function readStatements(pool: Pool): Promise<Statement[]> {
  const { rows } = await pool.query<Statement>(`
    SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, calls::float8 AS calls, total_exec_time AS ms
    FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY total_exec_time DESC`);
  return rows;
}

/** The read that decides whether requests are admitted. */
export const isAdmission = ({ text }: Statement) =>
  text.includes('control.paused') && text.includes('requests_per_minute');

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
