import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { ifKnownAdd, intoHours } from './add-to-hours.ts';

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
