import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import {
  addDoubtfulUsage,
  addUnrecordedSpend,
  type Database,
  recordEvents,
  rollUpRefusals,
  sealRefusals,
} from '@agp/db';
import { makeEventAt } from '@agp/testing/events';

const minuteMs = 60_000;

/** A session whose chain is whole, for what reads chains. */
export const wholeSession = 'ses_benchwhole';

/** Adds a session with a real chain, requests that were not recorded or are doubted, and refused requests to the audit log. */
export async function fillLog({ pool, db }: Database, now: number, refusals: number): Promise<void> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM agents ORDER BY name');
  const agentOf = (at: number) => rows[at % rows.length]?.id as string;
  const details = { sessionId: wholeSession, provider: 'openai', model: 'gpt-4o' };
  const { rowCount } = await pool.query('SELECT FROM sessions WHERE id = $1', [wholeSession]);
  if (rowCount === 0) {
    const times = Array.from({ length: 100 }, (_, at) => now - 30 * minuteMs + at * 1_000);
    const fields = { session_id: wholeSession, agent_id: toPublicId('agt', agentOf(0)), compliance_tag: 'rare-tag' };
    await recordEvents(
      pool,
      times.map((ms) => makeEventAt(ms, fields)),
    );
    const ids = times.map(() => randomUUIDv7());
    const day = new Date(now).toISOString().slice(0, 10);
    await addUnrecordedSpend(
      pool,
      ids.map((eventId, at) => ({
        eventId,
        agentId: agentOf(at),
        day,
        costNanoUsd: 5,
        reason: 'lost',
        request: details,
      })),
    );
    await addDoubtfulUsage(
      pool,
      ids.map((eventId, at) => ({
        ...details,
        ...{ eventId, agentId: agentOf(at), reason: 'claim_too_large', occurredAt: now, costNanoUsd: 5 },
        ...{ claimedPromptTokens: 5, claimedCompletionTokens: 5, claimedCostNanoUsd: 5 },
      })),
    );
  }
  // One for each minute and agent: sealed, they become so many entries of the log.
  await pool.query(
    `INSERT INTO refusal_counts (minute, agent_id, reason, count, source_ip, refused_at)
     SELECT date_trunc('minute', to_timestamp($1 / 1000.0)) - interval '40 minutes' * (n / 100) - interval '5 minutes', ($2::uuid[])[1 + n * 7 % $3],
       (ARRAY['agent_blocked', 'rate_limited', 'agent_budget_exceeded'])[1 + n % 3], 1 + n % 9, '10.0.0.1', now()
     FROM generate_series(1, $4::integer) AS n ON CONFLICT DO NOTHING`,
    [now, rows.map(({ id }) => id), rows.length, refusals],
  );
  while ((await sealRefusals(db)) > 0);
  await rollUpRefusals(db, new Date());
}
