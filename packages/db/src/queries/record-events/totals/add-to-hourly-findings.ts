import type { ClientBase } from 'pg';
import type { RecordableEvent } from '../recordable-event.ts';
import { toPlainArray, toTextArray } from '../to-array-literal.ts';
import { hourOf } from './add-to-hourly-usage.ts';

const text = `
  INSERT INTO hourly_findings (hour, agent_id, kind, event_count, last_event_at)
  SELECT hour, agent_id, kind, count(*), max(at)
  FROM unnest($1::timestamptz[], $2::uuid[], $3::text[], $4::timestamptz[]) AS found (hour, agent_id, kind, at)
  GROUP BY hour, agent_id, kind ORDER BY hour, agent_id, kind
  ON CONFLICT (hour, agent_id, kind) DO UPDATE SET
    event_count = hourly_findings.event_count + EXCLUDED.event_count,
    last_event_at = GREATEST(hourly_findings.last_event_at, EXCLUDED.last_event_at)`;

/** Counts events with personal data or secrets by UTC hour, agent and kind; the kinds are those of our own detectors. */
export async function addToHourlyFindings(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const found = rows
    .filter(({ event }) => event.pii_detected)
    .flatMap((row) => [...new Set(row.event.pii_types)].map((kind) => ({ ...row, kind })));
  if (found.length === 0) return;
  await client.query({
    name: 'add-to-hourly-findings',
    text,
    values: [
      toPlainArray(found.map(({ event }) => hourOf(event.timestamp))),
      toPlainArray(found.map(({ agentId }) => agentId)),
      toTextArray(found.map(({ kind }) => kind)),
      toPlainArray(found.map(({ event }) => event.timestamp)),
    ],
  });
}
