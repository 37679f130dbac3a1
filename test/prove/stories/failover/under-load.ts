import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { askManagement } from '../../../lifecycle/rolling/ask-management.ts';
import { type SentRequest, sendLoad } from '../../../lifecycle/rolling/send-load.ts';
import { waitFor } from '../../../system/start-system.ts';
import { type Report, unreported } from '../../story.ts';
import { account, countFailures, describeFailure, neverSent } from './account.ts';
import type { Replicas } from './start-replicas.ts';

export interface LossSize {
  perSecond: number;
  /** Load before the loss and after everything is as before, in milliseconds. */
  calmMs: number;
  /** How long a part is away, in milliseconds. */
  awayMs: number;
  /** How long it may take until all is as before, in milliseconds. */
  withinMs: number;
}

export const usualSize: LossSize = { perSecond: 200, calmMs: 5_000, awayMs: 15_000, withinMs: 180_000 };
/** For short forms in the suite. */
export const shortSize: LossSize = { perSecond: 20, calmMs: 500, awayMs: 1_000, withinMs: 180_000 };

export interface Loss {
  /** What a test does to the servers; it resolves when nothing is left to be done. */
  happen(replicas: Replicas, size: LossSize): Promise<void>;
  /** Called when the load is over and before the events are counted. */
  mend?(replicas: Replicas, report: Report): Promise<void>;
  /** Failures of requests that the loss may cause; others break the promise, but for what a starved machine causes. */
  mayFail: readonly string[];
}

/** What only a starved machine causes: the status of an agent is read too late, or a request is not even sent. */
const starved = ['503 agent status unavailable', neverSent];
/** No event older than this is missing when all is as before. */
const lateMs = 3_000;
const lookEveryMs = 250;

/** Watches how far the record is behind the provider. */
function watchRecord({ system, provider }: Replicas, perSecond: number) {
  const calls: [at: number, count: number][] = [];
  let lastBehind = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const now = Date.now();
      calls.push([now, provider.requests.length]);
      const due = calls.findLast(([at]) => at <= now - lateMs)?.[1] ?? 0;
      // Running streams have no event yet; one in forty requests is one, of ten seconds.
      const running = perSecond / 3;
      const recorded = await countEvents(system).catch(() => -1);
      if (recorded < due - running) lastBehind = Date.now();
      await sleep(lookEveryMs);
    }
  })();
  return {
    get lastBehind() {
      return lastBehind;
    },
    stop: async () => {
      isOver = true;
      await watching;
    },
  };
}

async function countEvents({ database }: Replicas['system']): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM events');
  return rows[0]?.count ?? 0;
}

/**
 * Something is lost under a load of requests and streams, and comes back: no event is lost or recorded twice, no chain is broken, a client
 * of the live stream has all, and requests fail in no other way than the loss may cause.
 */
export async function loseUnderLoad(
  replicas: Replicas,
  loss: Loss,
  size: LossSize = usualSize,
  report: Report = unreported,
): Promise<void> {
  const { system, provider, proxyBalancer, managementBalancer, live } = replicas;
  const ending = new AbortController();
  let lastFailure = 0;
  const onEnd = ({ kind, failure, endedAt }: SentRequest) => {
    if (failure !== null && loss.mayFail.includes(describeFailure(kind, failure))) lastFailure = endedAt;
  };
  const began = Date.now();
  const loading = sendLoad(proxyBalancer.url, ending.signal, size.perSecond, onEnd);
  const asking = askManagement(managementBalancer.url, system.apiKey, ending.signal);
  const record = watchRecord(replicas, size.perSecond);
  await waitFor('the load', async () => (await countEvents(system)) > size.perSecond / 2);
  await sleep(size.calmMs);
  const lostAt = Date.now();
  try {
    await loss.happen(replicas, size);
    await waitFor(
      'all to be as before',
      () => Date.now() - Math.max(record.lastBehind, lastFailure, lostAt) > size.calmMs,
      size.withinMs,
    );
  } finally {
    ending.abort();
    await record.stop();
  }
  const [sent, asked] = await Promise.all([loading, asking]);
  const seconds = (Date.now() - began) / 1_000;
  const failures = countFailures(sent);
  const asBefore = Math.max(record.lastBehind, lastFailure, lostAt) - lostAt;
  report({
    requests: sent.length,
    'a second': Math.round(sent.length / seconds),
    'of which streams': sent.filter(({ kind }) => kind === 'stream').length,
    failed: sent.filter(({ failure }) => failure !== null).length,
    ...failures,
    'last failure after': toSeconds(Math.max(lastFailure, lostAt) - lostAt),
    'as before after': toSeconds(asBefore),
    'of management': asked.count,
    'of which failed': asked.failures.length,
  });
  await loss.mend?.(replicas, report);
  await waitFor('the events', async () => (await countEvents(system)) >= provider.requests.length, 60_000).catch(
    () => {},
  );
  await waitFor('the live client', async () => live.seen.size >= (await countEvents(system)), 60_000).catch(() => {});
  const { events, ...faults } = await account(replicas, sent);
  report({
    events,
    lost: faults.lost,
    duplicates: faults.duplicates,
    'chains broken': faults.brokenChains,
    'not seen live or asked for': faults.unseen,
  });
  expect(faults).toEqual({ lost: 0, duplicates: 0, brokenChains: 0, gaps: 0, unseen: 0 });
  expect(Object.keys(failures).filter((name) => ![...starved, ...loss.mayFail].includes(name))).toEqual([]);
}

const toSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
