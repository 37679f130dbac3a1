import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { limitLockWait, tryForLocks } from '../partitions/try-for-locks.ts';
import { maxModelsOfAgent } from '../record-events/totals/add-to-agent-usage.ts';

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
