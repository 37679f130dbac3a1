import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorTable } from '@agp/core/errors';
import { expect } from 'vitest';
import { Caller, countResults } from '../../control/support/send-calls.ts';
import { expectAllRecorded } from '../../lifecycle/rolling/check-recorded.ts';
import { type System, waitFor } from '../../system/start-system.ts';
import { expectWithin, milliseconds, type Report, unreported } from '../story.ts';

/** A file system of its own, whose writes can be made to wait as those of a slow disk do. */
export interface SlowDisk extends Disposable {
  folder: string;
  /** Lets every write wait for `ms`; resolves when they go on. It ends by itself, also where this process is killed. */
  stall(ms: number): Promise<void>;
}

/** Needs root, and a kernel that mounts files. @returns null where there is none */
export function mountSlowDisk(megabytes: number): SlowDisk | null {
  const root = mkdtempSync(join(tmpdir(), 'agp-slow-disk-'));
  const [file, folder] = [`${root}.ext4`, root];
  const remove = () => [file, folder].map((path) => rmSync(path, { recursive: true, force: true }));
  try {
    writeFileSync(file, '');
    truncateSync(file, megabytes * 1_048_576);
    execFileSync('mkfs.ext4', ['-q', file], { stdio: 'ignore' });
    execFileSync('mount', ['-o', 'loop', file, folder], { stdio: 'ignore' });
  } catch {
    remove();
    return null;
  }
  // Servers that run as an account of their own make their folders in it.
  chmodSync(folder, 0o1777);
  return {
    folder,
    async stall(ms) {
      const script = 'fsfreeze --freeze "$0"; sleep "$1"; fsfreeze --unfreeze "$0"';
      const [code] = await once(spawn('sh', ['-c', script, folder, String(ms / 1_000)], { stdio: 'ignore' }), 'exit');
      expect(code, 'fsfreeze').toBe(0);
    },
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', folder]);
      remove();
    },
  };
}

export interface SlowDiskSize {
  /** How long writes wait, one stall after the other, in milliseconds. */
  stalls: Record<string, readonly number[]>;
  /** Requests at once. */
  atOnce: number;
  /** In which each request is answered, also a refused one. */
  promisedMs?: number;
}

/** Between two stalls what waited is written, in milliseconds. */
const betweenMs = 50;

/** Between two requests of an agent, in milliseconds: what comes while nothing is written fits the outbox of a proxy. */
const paceMs = 10;

/**
 * The disk under Postgres and NATS takes writes only now and then: agents that are known are served all the while, new ones are served
 * or told to try again, and no event is lost or doubled, though a write may be done long after its writer gave it up.
 */
export async function slowDownDisk(
  system: System,
  disk: SlowDisk,
  { stalls, atOnce, promisedMs }: SlowDiskSize,
  report: Report = unreported,
): Promise<void> {
  const url = system.proxies[0]?.url ?? '';
  await using caller = new Caller();
  const served: string[] = [];
  const sendOne = async (agentName: string) => {
    const began = performance.now();
    const result = await caller.send(url, { agentName });
    if (result.status === 200) served.push(String(result.headers['x-event-id']));
    return { ...result, ms: performance.now() - began };
  };
  const knownNames = Array.from({ length: 10 }, (_, index) => `known-${index}`);
  const areKnown = async () => (await Promise.all(knownNames.map(sendOne))).every(({ status }) => status === 200);
  await waitFor('agents', areKnown);
  for (const [name, times] of Object.entries(stalls)) {
    const ending = new AbortController();
    const known: Awaited<ReturnType<typeof sendOne>>[] = [];
    const sending = Array.from({ length: atOnce }, async (_, index) => {
      while (!ending.signal.aborted) {
        known.push(await sendOne(`known-${index % knownNames.length}`));
        await sleep(paceMs);
      }
    });
    const asking = sendOne(`new, ${name}`);
    for (const ms of times) {
      await disk.stall(ms);
      await sleep(betweenMs);
    }
    ending.abort();
    await Promise.all(sending);
    const unknown = await asking;
    const slowest = Math.max(...known.map(({ ms }) => ms));
    const { 200: passed = 0, ...refused } = countResults(known);
    report({
      [`${name}: known agents`]: `${passed} of ${known.length} served, slowest answer ${milliseconds(slowest)}`,
      [`${name}: a new agent`]: unknown.error ?? unknown.status,
    });
    expect(refused).toEqual({});
    expect([null, errorTable.status_unavailable.message]).toContain(unknown.error);
    expectWithin(name, slowest, promisedMs);
    await waitFor('all to be served', areKnown);
  }
  const sent = served.map((eventId) => ({ kind: 'kept connection' as const, eventId, failure: null }));
  report({ events: (await expectAllRecorded(system, sent, 180_000)).length });
}
