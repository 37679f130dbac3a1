import { toPublicId } from '@agp/core/ids';
import { connectRedis, createBudgetReservations } from '@agp/reservations';
import { type ChainEntry, findDivergence } from '@agp/testing/events';
import { waitFor } from '../system/start-system.ts';
import type { SoakProduct } from './soak-product.ts';

/** What is left of everything that a soak sent. */
export interface SoakAccounts {
  recorded: number;
  lost: number;
  /** Ids that callers were given and nobody knows. */
  unknownIds: number;
  /** Noted as lost and recorded. */
  inBoth: number;
  twice: number;
  chains: number;
  brokenChains: number;
  spentUsd: string;
  lostUsd: string;
  /** Sums that are not those of the events, by name. */
  unequalSums: string[];
  /** Reservations and requests that are still kept. */
  leftReserved: number;
  quarantined: number;
  /** By agent, spend beyond its cap on a day in USD. */
  capsPassed: Record<string, number>;
}

const sum = (from: string) => `(SELECT coalesce(sum(cost_usd), 0) FROM ${from})`;

/** Every sum that the product keeps beside the events, as it must be. */
const sumsText = `
  SELECT name, kept::text, of_events::text FROM (VALUES
    ('daily_usage', ${sum('daily_usage')}, ${sum('events')}),
    ('daily_global_spend', ${sum('daily_global_spend')}, ${sum('events')}),
    ('hourly_usage', ${sum('hourly_usage')} + ${sum('hourly_labelled')}, ${sum('events')}),
    ('agent_usage', ${sum('agent_usage')}, ${sum('events')}),
    ('sessions', (SELECT coalesce(sum(total_cost_usd), 0) FROM sessions), ${sum('events')}),
    ('session events', (SELECT coalesce(sum(event_count), 0) FROM sessions), (SELECT count(*) FROM events)),
    ('daily requests', (SELECT coalesce(sum(request_count), 0) FROM daily_usage), (SELECT count(*) FROM events WHERE counts_as_request)),
    ('days and agents', (SELECT count(*) FROM (
       SELECT day, agent_id, sum(cost_usd) FROM daily_usage GROUP BY 1, 2 EXCEPT
       SELECT (timestamp AT TIME ZONE 'UTC')::date, agent_id, sum(cost_usd) FROM events GROUP BY 1, 2) AS different), 0),
    ('sessions singly', (SELECT count(*) FROM (
       SELECT id, total_cost_usd, event_count, started_at, ended_at FROM sessions WHERE event_count > 0 EXCEPT
       SELECT session_id, sum(cost_usd), count(*), min(timestamp), max(timestamp) FROM events GROUP BY 1) AS different), 0)
  ) AS sums (name, kept, of_events)`;

/** Waits until nothing is on its way any more: queues empty, reservations given back, requests of dead proxies noted. */
export async function waitUntilSettled(product: SoakProduct, ms: number): Promise<number> {
  const { system } = product;
  const redis = connectRedis({ url: system.stack.redisUrl, commandTimeoutMs: 10_000 });
  const reservations = createBudgetReservations(redis);
  let left = Number.NaN;
  try {
    await waitFor(
      'all to be settled',
      async () => {
        const days = [-1, 0, 1].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));
        const held = await Promise.all(days.map((day) => reservations.list(day, null))).catch(() => null);
        if (held === null) return false;
        const [row] = await product.query<{ kept: number }>('SELECT count(*)::int AS kept FROM forwarded_requests');
        left = held.flat().length + (row?.kept ?? 0);
        return left === 0;
      },
      ms,
    ).catch(() => {});
    return left;
  } finally {
    redis.disconnect();
  }
}

/** Reads the accounts, once all is settled. @param eventIds that callers were given */
export async function readAccounts(
  product: SoakProduct,
  eventIds: ReadonlySet<string>,
  leftReserved: number,
): Promise<SoakAccounts> {
  const query = <Row>(text: string, values?: unknown[]) => product.query<Row>(text, values);
  const lost = await query<{ event_id: string; reason: string }>('SELECT event_id FROM unrecorded_spend');
  const lostIds = new Set(lost.map(({ event_id }) => toPublicId('evt', event_id)));
  const recordedIds = new Set<string>();
  const stamps = new Set<string>();
  let [events, chains, brokenChains, twice] = [0, 0, 0, 0];
  const sessions = await query<{ id: string }>('SELECT DISTINCT session_id AS id FROM events');
  for (const { id } of sessions) {
    const rows = await query<ChainEntry & { id: string }>(
      'SELECT id, seq, lineage_hash, payload FROM events WHERE session_id = $1 ORDER BY seq',
      [id],
    );
    const entries = rows.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) }));
    chains += 1;
    events += entries.length;
    if (findDivergence(id, entries) !== null) brokenChains += 1;
    for (const { event_id, payload } of entries) {
      const { producer, producer_seq } = JSON.parse(payload) as { producer: string; producer_seq: number };
      const stamp = `${producer} ${producer_seq}`;
      if (recordedIds.has(event_id) || stamps.has(stamp)) twice += 1;
      recordedIds.add(event_id);
      stamps.add(stamp);
    }
  }
  const sums = await query<{ name: string; kept: string; of_events: string }>(sumsText);
  const [costs] = await query<{ spent: string; lost: string; quarantined: number }>(
    `SELECT ${sum('events')}::text AS spent, ${sum('unrecorded_spend')}::text AS lost,
       (SELECT count(*)::int FROM quarantine) AS quarantined`,
  );
  const passed = await query<{ name: string; over: number }>(
    `SELECT agents.name, max(spend.usd - daily_cap_usd) AS over FROM agents JOIN (
       SELECT agent_id, day, sum(cost_usd) AS usd FROM (
         SELECT agent_id, day, cost_usd FROM daily_usage UNION ALL SELECT agent_id, day, cost_usd FROM unrecorded_spend
       ) AS spends GROUP BY 1, 2) AS spend ON spend.agent_id = agents.id
     WHERE spend.usd > daily_cap_usd GROUP BY 1`,
  );
  return {
    recorded: events,
    lost: lostIds.size,
    unknownIds: [...eventIds].filter((id) => !recordedIds.has(id) && !lostIds.has(id)).length,
    inBoth: [...lostIds].filter((id) => recordedIds.has(id)).length,
    twice,
    chains,
    brokenChains,
    spentUsd: costs?.spent ?? '',
    lostUsd: costs?.lost ?? '',
    unequalSums: sums
      .filter(({ kept, of_events }) => Number(kept) !== Number(of_events))
      .map(({ name, kept, of_events }) => `${name} ${kept}, of events ${of_events}`),
    leftReserved,
    quarantined: costs?.quarantined ?? Number.NaN,
    capsPassed: Object.fromEntries(passed.map(({ name, over }) => [name, over])),
  };
}
