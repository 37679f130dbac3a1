import type { KindName, Severity } from '@agp/alerts';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { type AlertRow, urgencyOf } from './alerts.ts';
import { dropSilent, isSilent } from './silences.ts';

export type WatchRow = Selectable<Schema['alert_watch']>;

/** As it was before this turn; undefined if another process began one within so many milliseconds. */
export async function takeTurn(db: Db, everyMs: number): Promise<WatchRow | undefined> {
  const { rows } = await sql<WatchRow>`
    WITH before AS (
      SELECT * FROM alert_watch WHERE looked_at <= clock_timestamp() - ${everyMs} * interval '1 millisecond'
      FOR UPDATE SKIP LOCKED
    )
    UPDATE alert_watch SET looked_at = clock_timestamp() FROM before RETURNING before.*`.execute(db);
  return rows[0];
}

/** Until the transaction ends nobody else settles alerts. */
export const lockWatch = (transaction: Db): Promise<WatchRow | undefined> =>
  transaction.selectFrom('alert_watch').selectAll().forUpdate().executeTakeFirst();

/** @param auditSeq entries of the audit log below it were looked at */
export async function noteLook(transaction: Db, auditSeq: number): Promise<void> {
  await transaction.updateTable('alert_watch').set({ audit_seq: auditSeq }).execute();
}

/** Undefined if another process began to verify chains within so many milliseconds. */
export function takeChains(db: Db, everyMs: number): Promise<WatchRow | undefined> {
  return db
    .updateTable('alert_watch')
    .set({ chains_at: sql<Date>`clock_timestamp()` })
    .where(sql<boolean>`chains_at < clock_timestamp() - ${everyMs} * interval '1 millisecond'`)
    .returningAll()
    .executeTakeFirst();
}

export async function noteChains(db: Db, after: string, auditVerifiedAt: Date): Promise<void> {
  await db.updateTable('alert_watch').set({ chain_after: after, audit_verified_at: auditVerifiedAt }).execute();
}

export const listOpenAlerts = (db: Db): Promise<AlertRow[]> =>
  db.selectFrom('alerts').selectAll().where('resolved_at', 'is', null).orderBy('opened_at').execute();

/** What is known of an alert when its cause is found. */
export interface FoundAlert {
  subject: string;
  /** The same for what is to be told once alone, however often its cause comes. */
  window: string;
  title: string;
  detail: string;
  path: string;
  severity: Severity;
  /** If it is of one alone. */
  agentId: string | null;
  /** UUIDs of all that it is of; null if these are too many to keep. */
  agentIds: readonly string[] | null;
  /** How many agents it is of. */
  reach: number;
  /** A notice is told and never open; of what is over already the end is told too. */
  ends: 'notice' | 'over' | null;
}

interface AlertRule {
  id: string;
  name: string;
  kind: KindName;
  /** UUIDs of targets that are told of each alert. */
  targets: readonly string[];
}

/** The alert that says how many of a rule were not told. */
export const crowdSubject = 'crowd';

/** How many of a rule's alerts came up within a minute and were told. */
export async function countTold(db: Db, ruleId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM alerts
    WHERE rule_id = ${ruleId} AND changed_at > clock_timestamp() - interval '1 minute' AND subject <> ${crowdSubject}
      AND NOT ${isSilent(sql.ref('rule_id'), sql.ref('agent_id'))}
      AND EXISTS (SELECT FROM alert_deliveries WHERE alert_id = alerts.id AND occasion = 'opened'
        AND created_at > clock_timestamp() - interval '1 minute')`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Each once, with a message to each target, but for a notice that its rule is silent of; one that came back in its window is opened again.
 * Returns how many were not open.
 */
export async function openAlerts(transaction: Db, rule: AlertRule, found: readonly FoundAlert[]): Promise<number> {
  if (found.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    WITH found AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(found)}::jsonb) AS found (
        subject text, "window" text, severity text, title text, detail text, path text, "agentId" uuid, "agentIds" uuid[],
        reach integer, ends text)
    ), opened AS (
      INSERT INTO alerts (id, rule_id, rule, kind, severity, subject, "window", title, detail, path, agent_id, agent_ids,
        reach, resolved_at)
      SELECT gen_random_uuid(), ${rule.id}::uuid, ${rule.name}, ${rule.kind}, severity, subject, "window", title, detail,
        path, "agentId", "agentIds", reach, CASE WHEN ends IS NOT NULL THEN clock_timestamp() END
      FROM found
      ON CONFLICT (rule_id, subject, "window") DO UPDATE SET resolved_at = NULL, acknowledged_at = NULL, acknowledged_by = NULL,
        title = EXCLUDED.title, detail = EXCLUDED.detail, path = EXCLUDED.path, agent_id = EXCLUDED.agent_id,
        agent_ids = EXCLUDED.agent_ids, reach = EXCLUDED.reach, seen_at = clock_timestamp(), changed_at = clock_timestamp()
      WHERE alerts.resolved_at IS NOT NULL AND EXCLUDED.resolved_at IS NULL
      RETURNING id, rule_id, subject, "window", agent_id
    ), told AS (
      INSERT INTO alert_deliveries (id, target_id, alert_id, line, occasion, urgency)
      SELECT gen_random_uuid(), target.id, opened.id, opened.rule_id || ' ' || subject, occasion.name, ${urgencyOf(sql.ref('found.severity'))}
      FROM opened JOIN found USING (subject, "window") CROSS JOIN unnest(${rule.targets}::uuid[]) AS target (id)
      JOIN (VALUES ('opened', 1), ('resolved', 2)) AS occasion (name, place) ON occasion.place = 1 OR found.ends = 'over'
      WHERE found.ends IS NULL OR NOT ${isSilent(sql.ref('opened.rule_id'), sql.ref('opened.agent_id'))}
      ORDER BY occasion.place
    )
    SELECT count(*)::integer AS count FROM opened`.execute(transaction);
  return rows[0]?.count ?? 0;
}

/**
 * Says so to each target that was told of it; what waits in a silence is told neither.
 * @param over with what ended each, in a phrase; null if that is not known
 */
export async function resolveAlerts(
  transaction: Db,
  over: readonly { id: string; end: string | null }[],
): Promise<void> {
  if (over.length === 0) return;
  const ids = over.map(({ id }) => id);
  await dropSilent(transaction, sql`SELECT unnest(${ids}::uuid[])`);
  await sql`
    WITH resolved AS (
      UPDATE alerts SET resolved_at = clock_timestamp(), changed_at = clock_timestamp(),
        detail = concat_ws('; ', nullif(detail, ''), 'over: ' || "end")
      FROM jsonb_to_recordset(${JSON.stringify(over)}::jsonb) AS over (id uuid, "end" text)
      WHERE alerts.id = over.id AND resolved_at IS NULL RETURNING alerts.id, rule_id, subject, severity
    ), told AS (
      SELECT DISTINCT target_id, alert_id FROM alert_deliveries
      WHERE alert_id = ANY (${ids}::uuid[]) AND occasion = 'opened'
    )
    INSERT INTO alert_deliveries (id, target_id, alert_id, line, occasion, urgency)
    SELECT gen_random_uuid(), target_id, alert_id, rule_id || ' ' || subject, 'resolved', ${urgencyOf(sql.ref('severity'))}
    FROM told JOIN resolved ON resolved.id = alert_id`.execute(transaction);
}

/** Notes that causes of open alerts are still there, and how they read now. */
export async function touchAlerts(
  transaction: Db,
  seen: readonly (Pick<FoundAlert, 'title' | 'detail' | 'path' | 'agentId' | 'agentIds' | 'reach'> & { id: string })[],
): Promise<void> {
  if (seen.length === 0) return;
  await sql`
    UPDATE alerts SET seen_at = clock_timestamp(), title = seen.title, detail = seen.detail, path = seen.path,
      agent_id = seen."agentId", agent_ids = seen."agentIds", reach = seen.reach
    FROM jsonb_to_recordset(${JSON.stringify(seen)}::jsonb)
      AS seen (id uuid, title text, detail text, path text, "agentId" uuid, "agentIds" uuid[], reach integer)
    WHERE alerts.id = seen.id`.execute(transaction);
}

/** Removes alerts that were over before a time; at most so many. */
export async function removeOldAlerts(db: Db, before: Date, most: number): Promise<void> {
  await sql`
    DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE opened_at < ${before} AND resolved_at < ${before} LIMIT ${most})`.execute(
    db,
  );
}

interface SeenName {
  kind: string;
  name: string;
  agent_id: string | null;
  seen_at: Date;
}

/** Names that nobody has told of yet, the first one first. */
export const listUntold = (db: Db, most: number): Promise<SeenName[]> =>
  db
    .selectFrom('seen_names')
    .select(['kind', 'name', 'agent_id', 'seen_at'])
    .where('is_told', '=', false)
    .orderBy('seen_at')
    .limit(most)
    .execute();

export async function noteTold(transaction: Db, names: readonly SeenName[]): Promise<void> {
  await sql`
    UPDATE seen_names SET is_told = true
    FROM unnest(${names.map(({ kind }) => kind)}::text[], ${names.map(({ name }) => name)}::text[]) AS told (kind, name)
    WHERE seen_names.kind = told.kind AND seen_names.name = told.name`.execute(transaction);
}
