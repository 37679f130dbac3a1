import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { ifKnownAdd, ifKnownAddFindings, intoFindings, intoHours } from './add-to-hours.ts';

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
