import { firstUuidAt } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { maxModelsOfAgent, maxTagsOfHour } from '../record-events/totals.ts';
import { limitLockWait, tryForLocks } from './locks.ts';
import { withPartitionsLocked } from './partitions.ts';

/** Begins a statement that adds rows to the usage by hour; a query with these columns follows, and then {@link ifKnownAdd}. */
export const intoHours = sql`
  INSERT INTO hourly_usage AS known (
    hour, agent_id, model, provider, compliance_tag, prompt_tokens, completion_tokens, cost_usd, event_count, request_count)`;

/** Ends it. Sort by key before, as the writer does, so that neither waits for the other in a circle. */
export const ifKnownAdd = sql`
  ON CONFLICT (hour, agent_id, model, provider, compliance_tag) DO UPDATE SET
    prompt_tokens = known.prompt_tokens + EXCLUDED.prompt_tokens,
    completion_tokens = known.completion_tokens + EXCLUDED.completion_tokens,
    cost_usd = known.cost_usd + EXCLUDED.cost_usd,
    event_count = known.event_count + EXCLUDED.event_count,
    request_count = known.request_count + EXCLUDED.request_count`;

/** The same for findings: the columns hour, agent_id, kind, event_count and last_event_at. */
export const intoFindings = sql`INSERT INTO hourly_findings AS known (hour, agent_id, kind, event_count, last_event_at)`;

export const ifKnownAddFindings = sql`
  ON CONFLICT (hour, agent_id, kind) DO UPDATE SET
    event_count = known.event_count + EXCLUDED.event_count,
    last_event_at = GREATEST(known.last_event_at, EXCLUDED.last_event_at)`;

/**
 * Adds to the hours what they lack of `daily_usage`, as usage of the first hour of its day, of provider and tag `unknown`: events that
 * retention removed before there were hours, and those of writers that do not know the hours yet. A transaction of the writer changes both
 * tables, so one statement sees both sums with it or without.
 *
 * @param transaction with {@link avoidLoops}
 * @param day only this one, `YYYY-MM-DD`
 */
export async function addMissingUsage(transaction: Db, day?: string): Promise<void> {
  const ofDay = day === undefined ? sql`true` : sql`day = ${day}::date`;
  const ofHours =
    day === undefined
      ? sql`true`
      : sql`hour >= ${day}::timestamp AT TIME ZONE 'UTC' AND hour < (${day}::date + 1)::timestamp AT TIME ZONE 'UTC'`;
  await sql`
    WITH hours AS MATERIALIZED (
      SELECT (hour AT TIME ZONE 'UTC')::date AS day, agent_id, model, sum(prompt_tokens) AS prompt,
        sum(completion_tokens) AS completion, sum(cost_usd) AS cost, sum(event_count) AS events, sum(request_count) AS requests
      FROM hourly_usage WHERE ${ofHours} GROUP BY 1, 2, 3
    )
    ${intoHours}
    SELECT day::timestamp AT TIME ZONE 'UTC', agent_id, model, 'unknown', 'unknown', prompt_tokens - coalesce(prompt, 0),
      completion_tokens - coalesce(completion, 0), cost_usd - coalesce(cost, 0), event_count - coalesce(events, 0),
      request_count - coalesce(requests, 0)
    FROM daily_usage LEFT JOIN hours USING (day, agent_id, model)
    WHERE ${ofDay} AND event_count > coalesce(events, 0)
    ORDER BY 1, 2, 3
    ${ifKnownAdd}`.execute(transaction);
}

/**
 * Keeps the transaction's statements from comparing every row with every other one: Postgres would, since it believes tables that have just
 * been filled to be almost empty.
 */
export async function avoidLoops(transaction: Db): Promise<void> {
  await sql`SET LOCAL enable_nestloop = off`.execute(transaction);
}

/** Agents whose usage of all time is not the sum of their days: writers that do not know the table recorded something of theirs. */
const stale = sql`
  SELECT agent_id FROM (SELECT agent_id, sum(event_count) AS events FROM daily_usage GROUP BY agent_id) AS daily
  FULL JOIN (SELECT agent_id, sum(event_count) AS events FROM agent_usage GROUP BY agent_id) AS known USING (agent_id)
  WHERE daily.events IS DISTINCT FROM known.events`;

/** Makes `agent_usage` the sum of `daily_usage` again, for agents where it is not. Writers wait meanwhile, so it first looks without a lock. */
export async function rebuildAgentUsage(db: Db): Promise<void> {
  const { rows } = await sql<{ found: boolean }>`SELECT EXISTS (${stale}) AS found`.execute(db);
  if (!rows[0]?.found) return;
  await tryForLocks(db, 'agent_usage cannot be filled now', () =>
    db.transaction().execute(async (transaction) => {
      await limitLockWait(transaction);
      // Who holds the table has changed both tables once we have it, and who waits for us will add to what we store.
      await sql`LOCK TABLE agent_usage IN SHARE ROW EXCLUSIVE MODE`.execute(transaction);
      await sql`DELETE FROM agent_usage WHERE agent_id IN (${stale})`.execute(transaction);
      await sql`
        INSERT INTO agent_usage (
          agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at, last_event_at)
        SELECT agent_id, CASE WHEN place <= ${maxModelsOfAgent} THEN model ELSE 'other' END, sum(prompt), sum(completion),
          sum(cost), sum(events), sum(requests), min(first_at), max(last_at)
        FROM (
          SELECT agent_id, model, row_number() OVER (PARTITION BY agent_id ORDER BY model COLLATE "C") AS place,
            sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion, sum(cost_usd) AS cost,
            sum(event_count) AS events, sum(request_count) AS requests, min(first_event_at) AS first_at,
            max(last_event_at) AS last_at
          FROM daily_usage AS daily WHERE NOT EXISTS (SELECT FROM agent_usage WHERE agent_usage.agent_id = daily.agent_id)
          GROUP BY 1, 2
        ) AS placed
        GROUP BY 1, 2`.execute(transaction);
    }),
  );
}

/** Entries of one transaction. */
const maxEntries = 50_000;

/**
 * Adds the refusals of the audit log up to yesterday to those by hour; later ones are shown by the minute. Each entry counts once: the log
 * only grows at its end, and the place that was reached moves in the same transaction. Needs the migrator's role.
 */
export async function rollUpRefusals(db: Db, now: Date): Promise<void> {
  while (await rollUpSome(db, now));
}

function rollUpSome(db: Db, now: Date): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ from: number; end: number | null }>`
      SELECT next_seq AS from, 1 + (
          SELECT seq FROM audit_log WHERE "timestamp" < ${now}::timestamptz - interval '1 day'
          ORDER BY "timestamp" DESC, seq DESC LIMIT 1
        ) AS "end"
      FROM refusal_fill FOR UPDATE`.execute(transaction);
    const { from = 0, end = null } = rows[0] ?? {};
    if (end === null || end <= from) return false;
    const until = Math.min(from + maxEntries, end);
    await sql`
      INSERT INTO hourly_refusals AS known (hour, agent_id, reason, refusal_count)
      SELECT date_trunc('hour', log."timestamp", 'UTC'), log.agent_id, reasons.key, sum(reasons.value::bigint)
      FROM audit_log AS log
      CROSS JOIN LATERAL json_each_text(log.payload::json -> 'after' -> 'reasons') AS reasons
      WHERE log.action = 'request.refused' AND log.seq >= ${from} AND log.seq < ${until}
      GROUP BY 1, 2, 3
      ON CONFLICT (hour, agent_id, reason) DO UPDATE SET refusal_count = known.refusal_count + EXCLUDED.refusal_count`.execute(
      transaction,
    );
    await sql`UPDATE refusal_fill SET next_seq = ${until}`.execute(transaction);
    return true;
  });
}

const dayMs = 86_400_000;

/** Fills the rollups, or adds what they lack. Safe to run several times at once. */
export const completeRollups = (db: Db, now = new Date()): Promise<void> =>
  withPartitionsLocked(db, async (connection) => {
    await fillRollups(connection);
    await rollUpRefusals(connection, now);
  });

/**
 * Fills the rollups with what was recorded before they were made, the latest day first and each in a transaction of its own: interrupted,
 * it goes on where it was. Then it adds what writers of an older version recorded since, which only know `daily_usage`. Needs the
 * migrator's role and the lock of partitions, so that nobody else does the same.
 */
export async function fillRollups(db: Db): Promise<void> {
  await rebuildAgentUsage(db);
  while (await fillNextDay(db));
  await sql`UPDATE rollup_fill SET filled_from = '-infinity' WHERE filled_from > '-infinity'`.execute(db);
  await db.transaction().execute(async (transaction) => {
    await avoidLoops(transaction);
    await addMissingUsage(transaction);
  });
}

async function fillNextDay(db: Db): Promise<boolean> {
  const { rows } = await sql<{ day: string }>`
    SELECT max(day)::text AS day FROM daily_usage WHERE day < (SELECT filled_from FROM rollup_fill) HAVING max(day) IS NOT NULL`.execute(
    db,
  );
  const day = rows[0]?.day;
  if (day === undefined) return false;
  const start = Date.parse(`${day}T00:00Z`);
  const ofDay = sql`
    id >= ${firstUuidAt(start)} AND id < ${firstUuidAt(start + dayMs)} AND recorded_at < (SELECT made_at FROM rollup_fill)`;
  await db.transaction().execute(async (transaction) => {
    await avoidLoops(transaction);
    await sql`
      ${intoHours}
      SELECT hour, agent_id, model, provider, CASE WHEN place <= ${maxTagsOfHour} THEN compliance_tag ELSE 'other' END,
        sum(prompt_tokens), sum(completion_tokens), sum(cost_usd), sum(event_count), sum(request_count)
      FROM (
        SELECT hour, agent_id, coalesce(daily.model, 'other') AS model, provider, compliance_tag,
          row_number() OVER (PARTITION BY hour, agent_id ORDER BY sum(cost) DESC) AS place, sum(prompt) AS prompt_tokens,
          sum(completion) AS completion_tokens, sum(cost) AS cost_usd, sum(events) AS event_count, sum(requests) AS request_count
        FROM (
          SELECT date_trunc('hour', "timestamp", 'UTC') AS hour, agent_id, model, provider, compliance_tag,
            sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion, sum(cost_usd) AS cost, count(*) AS events,
            count(*) FILTER (WHERE counts_as_request) AS requests
          FROM events WHERE ${ofDay} GROUP BY 1, 2, 3, 4, 5
        ) AS summed
        LEFT JOIN (SELECT agent_id, model FROM daily_usage WHERE day = ${day}::date) AS daily USING (agent_id, model)
        GROUP BY 1, 2, 3, 4, 5
      ) AS placed
      GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
      ${ifKnownAdd}`.execute(transaction);
    await sql`
      ${intoFindings}
      SELECT date_trunc('hour', "timestamp", 'UTC'), agent_id, kind, count(DISTINCT id), max("timestamp")
      FROM events, unnest(pii_types) AS kind WHERE pii_detected AND ${ofDay}
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ${ifKnownAddFindings}`.execute(transaction);
    await addMissingUsage(transaction, day);
    await sql`UPDATE rollup_fill SET filled_from = ${day}::date`.execute(transaction);
  });
  return true;
}

const isOldHour = (cut: Date) => sql`
  hour < date_trunc('day', ${cut}::timestamptz, 'UTC') AND hour <> date_trunc('day', hour, 'UTC')`;

/**
 * Merges hours before the day of `cut` into the first hour of their day: whose events are gone needs no hours any more, and sums of days
 * stay what they were. A late event makes an hour of its own, which the next call merges.
 */
export async function mergeOldHours(transaction: Db, cut: Date): Promise<void> {
  await sql`
    WITH hours AS (DELETE FROM hourly_usage WHERE ${isOldHour(cut)} RETURNING *)
    ${intoHours}
    SELECT date_trunc('day', hour, 'UTC'), agent_id, model, provider, compliance_tag, sum(prompt_tokens),
      sum(completion_tokens), sum(cost_usd), sum(event_count), sum(request_count)
    FROM hours GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ${ifKnownAdd}`.execute(transaction);
  await sql`
    WITH hours AS (DELETE FROM hourly_findings WHERE ${isOldHour(cut)} RETURNING *)
    ${intoFindings}
    SELECT date_trunc('day', hour, 'UTC'), agent_id, kind, sum(event_count), max(last_event_at)
    FROM hours GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ${ifKnownAddFindings}`.execute(transaction);
}
