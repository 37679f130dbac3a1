import type { ClientBase } from 'pg';
import type { RecordableEvent } from './recordable-event.ts';
import { toPlainArray, toTextArray } from './to-array-literal.ts';

const text = `
  INSERT INTO agent_last_seen (agent_id, last_event_id, source_ip)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS seen (agent_id) ORDER BY agent_id
  ON CONFLICT (agent_id) DO UPDATE SET last_event_id = EXCLUDED.last_event_id, source_ip = EXCLUDED.source_ip
  WHERE agent_last_seen.last_event_id < EXCLUDED.last_event_id`;

/** Keeps, for each agent, the address of its latest event that has one. */
export async function moveLastSeen(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const latest = new Map<string, RecordableEvent>();
  for (const row of rows) {
    if (row.event.source_ip === null) continue;
    const seen = latest.get(row.agentId);
    if (seen === undefined || row.id > seen.id) latest.set(row.agentId, row);
  }
  if (latest.size === 0) return;
  const seen = [...latest.values()];
  await client.query({
    name: 'move-last-seen',
    text,
    values: [
      toPlainArray([...latest.keys()]),
      toPlainArray(seen.map(({ id }) => id)),
      toTextArray(seen.map(({ event }) => event.source_ip ?? '')),
    ],
  });
}
