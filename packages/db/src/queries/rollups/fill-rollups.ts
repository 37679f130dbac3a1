import { firstUuidAt } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { withPartitionsLocked } from '../partitions/lock-partitions.ts';
import { maxTagsOfHour } from '../record-events/totals/add-to-hourly-usage.ts';
import { addMissingUsage, avoidLoops } from './add-missing-usage.ts';
import { ifKnownAdd, ifKnownAddFindings, intoFindings, intoHours } from './add-to-hours.ts';
import { rebuildAgentUsage } from './rebuild-agent-usage.ts';
import { rollUpRefusals } from './roll-up-refusals.ts';

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
