import type { deliveryStates } from '@agp/alerts';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import type { AlertRow } from './alerts.ts';
import type { DocumentRow } from './documents.ts';
import { isSilent } from './silences.ts';

export type DeliveryRow = Selectable<Schema['alert_deliveries']> & { target: string; title: string | null };

const withNames = (db: Db) =>
  db
    .selectFrom('alert_deliveries')
    .innerJoin('notification_targets', 'notification_targets.id', 'target_id')
    .leftJoin('alerts', 'alerts.id', 'alert_id')
    .selectAll('alert_deliveries')
    .select(['notification_targets.name as target', 'alerts.title']);

interface DeliveryFilter {
  state?: (typeof deliveryStates)[number] | undefined;
  target?: string | undefined;
}

/** Newest first. */
export function listDeliveries(
  db: Db,
  { state, target }: DeliveryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<DeliveryRow[]> {
  return withNames(db)
    .$if(state === 'dead', (asked) => asked.where('dead_at', 'is not', null))
    .$if(state === 'delivered', (asked) => asked.where('delivered_at', 'is not', null))
    .$if(state === 'waiting', (asked) => asked.where('dead_at', 'is', null).where('delivered_at', 'is', null))
    .$if(target !== undefined, (asked) => asked.where('notification_targets.name', '=', target as string))
    .orderBy('seq', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export const readDelivery = (db: Db, id: string): Promise<DeliveryRow | undefined> =>
  withNames(db).where('alert_deliveries.id', '=', id).executeTakeFirst();

/** False if it was not given up, or what came after it was delivered: a receiver would take what is over for open. */
export async function resendDelivery(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('alert_deliveries')
    .set({ dead_at: null, attempts: 0, next_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('dead_at', 'is not', null)
    .where(
      sql<boolean>`NOT EXISTS (
        SELECT FROM alert_deliveries AS later WHERE later.target_id = alert_deliveries.target_id
          AND later.alert_id = alert_deliveries.alert_id AND later.seq > alert_deliveries.seq AND later.delivered_at IS NOT NULL)`,
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface DeliveryCounts {
  waiting: number;
  dead: number;
  /** Of one of those that wait. */
  error: string | null;
}

/** What waits for each target and what was given up, by its id. */
export async function countDeliveries(db: Db): Promise<ReadonlyMap<string, DeliveryCounts>> {
  const { rows } = await sql<DeliveryCounts & { target_id: string }>`
    SELECT target_id, (count(*) FILTER (WHERE dead_at IS NULL))::integer AS waiting,
      (count(*) FILTER (WHERE dead_at IS NOT NULL))::integer AS dead, max(error) FILTER (WHERE dead_at IS NULL) AS error
    FROM alert_deliveries WHERE delivered_at IS NULL GROUP BY target_id`.execute(db);
  return new Map(rows.map(({ target_id, ...counts }) => [target_id, counts]));
}

/** Who has a message in hand loses it after this long, and another sends it. */
const leaseSeconds = 60;

/** The columns that a message is written and settled by. */
export interface ClaimedDelivery
  extends Pick<Selectable<Schema['alert_deliveries']>, 'id' | 'occasion' | 'attempts' | 'report'> {
  target: DocumentRow<'target'>;
  /** Null if it is no more. */
  alert: AlertRow | null;
}

interface Room {
  /** For each target. */
  most: number;
  /** What is taken of it, by targets' ids. */
  taken: ReadonlyMap<string, number>;
}

/**
 * Takes messages that are due for a minute, in any number of processes at once: of each line the first that is neither delivered nor given
 * up, of each target the most severe, and of these those that wait longest. Nothing is taken for targets that are disabled, nor of what a
 * rule is silent of.
 */
export async function claimDeliveries(db: Db, { most, taken }: Room): Promise<ClaimedDelivery[]> {
  const { rows: claimed } = await sql<Omit<ClaimedDelivery, 'target' | 'alert'> & Ids>`
    WITH due AS (
      SELECT due.id FROM notification_targets AS target CROSS JOIN LATERAL (
        SELECT id FROM alert_deliveries AS each
        WHERE target_id = target.id AND delivered_at IS NULL AND dead_at IS NULL AND next_at <= now()
          AND id = (
            SELECT id FROM alert_deliveries AS head
            WHERE head.target_id = each.target_id AND head.line = each.line
              AND head.delivered_at IS NULL AND head.dead_at IS NULL
            ORDER BY head.seq LIMIT 1)
          AND NOT (occasion = 'opened' AND EXISTS (
            SELECT FROM alerts WHERE alerts.id = each.alert_id
              AND ${isSilent(sql.ref('alerts.rule_id'), sql.ref('alerts.agent_id'))}))
        ORDER BY urgency, next_at, seq
        LIMIT greatest(0, ${most} - coalesce((${JSON.stringify(Object.fromEntries(taken))}::jsonb->>target.id::text)::integer, 0))
        FOR UPDATE SKIP LOCKED
      ) AS due
      WHERE target.disabled_at IS NULL
    )
    UPDATE alert_deliveries AS each SET next_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    FROM due WHERE each.id = due.id
    RETURNING each.id, each.target_id, each.alert_id, each.occasion, each.attempts, each.report`.execute(db);
  if (claimed.length === 0) return [];
  const targetIds = claimed.map(({ target_id }) => target_id);
  const targets = await readAll<DocumentRow<'target'>>(db, 'notification_targets', targetIds);
  const alertIds = claimed.map(({ alert_id }) => alert_id);
  const alerts = await readAll<AlertRow>(db, 'alerts', alertIds);
  return claimed.flatMap(({ target_id, alert_id, ...row }) => {
    const target = targets.get(target_id);
    return target === undefined ? [] : [{ ...row, target, alert: alerts.get(alert_id) ?? null }];
  });
}

interface Ids {
  target_id: string;
  alert_id: string | null;
}

async function readAll<Row extends { id: string }>(
  db: Db,
  table: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, Row>> {
  const { rows } = await sql<Row>`SELECT * FROM ${sql.table(table)} WHERE id = ANY(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What became of a try; in how many milliseconds it is tried again. */
export type Settled = { error: string | null } & ({ state: 'delivered' | 'dead' } | { state: 'waiting'; inMs: number });

/** Notes a try; a message that was delivered meanwhile stays so. */
export async function settleDelivery(db: Db, id: string, settled: Settled): Promise<void> {
  const now = sql<Date>`clock_timestamp()`;
  const noted = {
    delivered: { delivered_at: now },
    dead: { dead_at: now },
    waiting: { next_at: sql<Date>`${now} + ${settled.state === 'waiting' ? settled.inMs : 0} * interval '1 ms'` },
  }[settled.state];
  await db
    .updateTable('alert_deliveries')
    .set({ attempts: sql<number>`attempts + 1`, error: settled.error, ...noted })
    .where('id', '=', id)
    .where('delivered_at', 'is', null)
    .execute();
}

/** Until it is changed: one that was changed meanwhile is left. */
export async function disableTarget(
  db: Db,
  { id, version }: Pick<DocumentRow<'target'>, 'id' | 'version'>,
  because: string,
): Promise<void> {
  await db
    .updateTable('notification_targets')
    .set({ disabled_at: sql<Date>`clock_timestamp()`, disabled_because: because })
    .where('id', '=', id)
    .where('version', '=', version)
    .execute();
}

const keptDays = 30;
const oldestAtOnce = 1_000;

/** Removes old messages, whatever became of them; those of an open alert say who is told of its end. False if there may be more. */
export async function pruneDeliveries(db: Db): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM alert_deliveries WHERE id IN (
      SELECT id FROM (SELECT id, alert_id, created_at FROM alert_deliveries ORDER BY seq LIMIT ${oldestAtOnce}) AS oldest
      WHERE created_at < clock_timestamp() - make_interval(days => ${keptDays})
        AND NOT EXISTS (SELECT FROM alerts WHERE alerts.id = alert_id AND resolved_at IS NULL))`.execute(db);
  return numAffectedRows < BigInt(oldestAtOnce);
}

export interface Feed {
  /** Kinds of targets that are fed. */
  kinds: readonly string[];
  everyMs: number;
  /** How long what is over is told still. */
  lastingMs: number;
  /** Alerts for each, the newest if there are more. */
  most: number;
}

/**
 * Takes targets that are to be told what is open, each for one process: what rules that name them have open, or rules without a target of
 * a severity that is theirs; or had until a few minutes ago. At once if something came up or was over, else from time to time.
 */
export async function claimFeeds(
  db: Db,
  { kinds, everyMs, lastingMs, most }: Feed,
): Promise<{ target: DocumentRow<'target'>; alerts: AlertRow[] }[]> {
  // By indexes: what was over lately has changed lately.
  const told = sql`
    FROM alerts JOIN notification_rules ON notification_rules.id = alerts.rule_id
    WHERE (notification_rules.rule->'targets' ? fed.name
        OR coalesce(notification_rules.rule->'targets', '[]') = '[]' AND fed.target->'default_for' ? alerts.severity)
      AND NOT (resolved_at IS NULL AND ${isSilent(sql.ref('alerts.rule_id'), sql.ref('alerts.agent_id'))})
      AND (resolved_at IS NULL OR changed_at > clock_timestamp() - ${lastingMs} * interval '1 ms')`;
  const { rows: targets } = await sql<DocumentRow<'target'>>`
    UPDATE notification_targets AS fed SET fed_at = clock_timestamp()
    WHERE fed.target->>'kind' = ANY(${kinds}::text[]) AND fed.disabled_at IS NULL AND EXISTS (
      SELECT ${told} AND (fed.fed_at < clock_timestamp() - ${everyMs} * interval '1 ms'
        OR greatest(opened_at, resolved_at) > fed.fed_at))
    RETURNING *`.execute(db);
  const feeds: { target: DocumentRow<'target'>; alerts: AlertRow[] }[] = [];
  // One after the other: changes need the other connections.
  for (const target of targets) {
    const { rows: alerts } = await sql<AlertRow>`
      SELECT told.* FROM (SELECT * FROM notification_targets WHERE id = ${target.id}) AS fed, LATERAL (
        SELECT alerts.* ${told} ORDER BY opened_at DESC LIMIT ${most}) AS told`.execute(db);
    feeds.push({ target, alerts });
  }
  return feeds;
}
