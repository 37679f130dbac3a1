import type { ClientBase } from 'pg';
import type { RecordableEvent } from '../recordable-event.ts';
import { toPlainArray, toTextArray } from '../to-array-literal.ts';
import { totalsBy } from './totals-by.ts';

// LEAST and GREATEST ignore the nulls of a session that was claimed and has no event yet.
const text = `
  INSERT INTO sessions (
    id, agent_id, started_at, ended_at, event_count, total_tokens, total_cost_usd, compliance_tag, pii_detected,
    last_event_id)
  SELECT * FROM unnest(
    $1::text[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::numeric[],
    $8::text[], $9::boolean[], $10::uuid[]
  ) AS gained (id) ORDER BY id COLLATE "C"
  ON CONFLICT (id) DO UPDATE SET
    started_at = LEAST(sessions.started_at, EXCLUDED.started_at),
    ended_at = GREATEST(sessions.ended_at, EXCLUDED.ended_at),
    event_count = sessions.event_count + EXCLUDED.event_count,
    total_tokens = sessions.total_tokens + EXCLUDED.total_tokens,
    total_cost_usd = sessions.total_cost_usd + EXCLUDED.total_cost_usd,
    compliance_tag = CASE WHEN sessions.last_event_id > EXCLUDED.last_event_id
      THEN sessions.compliance_tag ELSE EXCLUDED.compliance_tag END,
    pii_detected = sessions.pii_detected OR EXCLUDED.pii_detected,
    last_event_id = GREATEST(sessions.last_event_id, EXCLUDED.last_event_id)`;

/** Adds events to the totals of their sessions; a session keeps the agent it has. */
export async function addToSessions(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const groups = totalsBy(rows, ({ event }) => event.session_id);
  const totals = [...groups.values()];
  await client.query({
    name: 'add-to-sessions',
    text,
    values: [
      toPlainArray([...groups.keys()]),
      toPlainArray(totals.map(({ latest }) => latest.agentId)),
      toPlainArray(totals.map(({ firstAt }) => firstAt)),
      toPlainArray(totals.map(({ lastAt }) => lastAt)),
      toPlainArray(totals.map(({ events }) => events)),
      toPlainArray(totals.map(({ totalTokens }) => totalTokens)),
      toPlainArray(totals.map(({ costUsd }) => costUsd)),
      toTextArray(totals.map(({ latest }) => latest.event.compliance_tag)),
      toPlainArray(totals.map(({ piiDetected }) => piiDetected)),
      toPlainArray(totals.map(({ latest }) => latest.id)),
    ],
  });
}
