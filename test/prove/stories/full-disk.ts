import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Caller, countResults } from '../../control/support/send-calls.ts';
import { expectAllRecorded } from '../../lifecycle/rolling/check-recorded.ts';
import { readMetric } from '../../system/read-metric.ts';
import { type System, waitFor } from '../../system/start-system.ts';
import type { Report } from '../story.ts';

/** A file system in memory that is soon full. */
export interface SmallDisk extends Disposable {
  folder: string;
  /** Leaves no room. */
  fill(): void;
  free(): void;
}

/** @returns false where there was no room */
function append(file: string, bytes: number): boolean {
  try {
    appendFileSync(file, Buffer.alloc(bytes));
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOSPC') return false;
    throw error;
  }
}

/** Only root can mount one. @returns null for everybody else */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  if (process.getuid?.() !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'agp-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', folder]);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      // To the last byte: others write meanwhile.
      for (const bytes of [1_048_576, 4_096, 1]) while (append(filler, bytes));
    },
    free: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', folder]);
      rmdirSync(folder);
    },
  };
}

/**
 * The disk under Postgres is full: known agents are served from what Postgres can still read, or refused as documented, and nothing that
 * was served is lost. Postgres may end; then it is started again once there is room, as an operator does.
 */
export async function fillDisk(system: System, disk: SmallDisk, requests: number, report: Report): Promise<void> {
  const url = system.proxies[0]?.url ?? '';
  await using caller = new Caller();
  const served: string[] = [];
  const sendAll = async (count: number, prefix: string) => {
    const results = await Promise.all(
      Array.from({ length: count }, (_, index) => caller.send(url, { agentName: `${prefix}-${index % 10}` })),
    );
    for (const { status, headers } of results) if (status === 200) served.push(String(headers['x-event-id']));
    return results;
  };
  await waitFor('agents', async () => (await sendAll(10, 'known')).every(({ status }) => status === 200));
  disk.fill();
  const [writer] = system.writers;
  const countRetries = () => readMetric(writer, 'agp_writer_retries_total{step="record"}');
  const known: Record<string, number> = {};
  try {
    await waitFor('recording to fail', async () => {
      for (const [answer, count] of Object.entries(countResults(await sendAll(requests, 'known'))))
        known[answer] = (known[answer] ?? 0) + count;
      return (await countRetries()) > 0;
    });
    report({ 'disk full, known agents': JSON.stringify(known) });
    const unknown = countResults(await sendAll(10, 'new'));
    report({ 'disk full, new agents': JSON.stringify(unknown) });
    for (const answers of [known, unknown])
      expect(
        Object.keys(answers).filter((answer) => answer !== '200' && answer !== '503 agent status unavailable'),
      ).toEqual([]);
  } finally {
    disk.free();
  }
  const freed = performance.now();
  await waitFor('Postgres', async () => {
    const isThere = await system.database.pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
    if (!isThere) await system.stack.postgres.stop().then(() => system.stack.postgres.start());
    return isThere;
  });
  await waitFor('all to be served', async () => (await sendAll(10, 'known')).every(({ status }) => status === 200));
  report({ 'served again after': `${((performance.now() - freed) / 1_000).toFixed(1)} s` });
  const sent = served.map((eventId) => ({ kind: 'kept connection' as const, eventId, failure: null }));
  report({ events: (await expectAllRecorded(system, sent, 120_000)).length });
}

/**
 * The disk under NATS is full: agents are served, their events wait in the proxy, and none is lost. NATS may then need a restart, as an
 * operator does it; nothing else does.
 */
export async function fillNatsDisk(system: System, disk: SmallDisk, requests: number, report: Report): Promise<void> {
  const [proxy] = system.proxies;
  await using caller = new Caller();
  const served: string[] = [];
  const sendAll = async (count: number) => {
    const toCall = (index: number) => ({ agentName: `known-${index % 10}` });
    const results = await caller.sendMany([proxy?.url ?? ''], count, toCall);
    for (const { status, headers } of results) if (status === 200) served.push(String(headers['x-event-id']));
    return results;
  };
  await waitFor('agents', async () => (await sendAll(10)).every(({ status }) => status === 200));
  disk.fill();
  const answers: Record<string, number> = {};
  let waiting = 0;
  try {
    await waitFor('events to wait in the proxy', async () => {
      for (const [answer, count] of Object.entries(countResults(await sendAll(requests / 10))))
        answers[answer] = (answers[answer] ?? 0) + count;
      waiting = await readMetric(proxy, 'agp_proxy_outbox_events');
      return waiting >= requests / 2;
    });
  } finally {
    disk.free();
  }
  report({ 'disk of NATS full': JSON.stringify(answers), 'events that waited': waiting });
  expect(
    Object.keys(answers).filter((answer) => answer !== '200' && answer !== '503 agent status unavailable'),
  ).toEqual([]);
  const isEmpty = async () => (await readMetric(proxy, 'agp_proxy_outbox_events')) === 0;
  const recovers = await waitFor('NATS to take events again', isEmpty, 30_000).catch(() => false);
  report({ 'NATS restarted': recovers ? 'no' : 'yes' });
  if (!recovers) await system.stack.nats.stop().then(() => system.stack.nats.start());
  const sent = served.map((eventId) => ({ kind: 'kept connection' as const, eventId, failure: null }));
  report({ events: (await expectAllRecorded(system, sent, 120_000)).length });
}
