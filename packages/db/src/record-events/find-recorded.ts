import type { ClientBase } from 'pg';
import { toPlainArray } from './array-literals.ts';

// One look-up for each id, in its one partition. OFFSET 0 enforces that plan.
const text = `
  SELECT found.id, found.lineage_hash FROM unnest($1::uuid[]) AS asked (id)
  CROSS JOIN LATERAL (SELECT id, lineage_hash FROM events WHERE events.id = asked.id OFFSET 0) AS found`;

/** A statement of its own after the heads are locked: its snapshot holds all that was committed before. */
export async function findRecorded(client: ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; lineage_hash: string }>({
    name: 'find-recorded',
    text,
    values: [toPlainArray(ids)],
  });
  return new Map(rows.map((row) => [row.id, row.lineage_hash]));
}

/** In every transaction that adds events: `noteEndedRequests` waits for the lock that this takes even without rows. */
export async function settleUnrecorded(client: ClientBase, eventIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'settle-unrecorded',
    text: 'DELETE FROM unrecorded_spend WHERE event_id = ANY($1::uuid[])',
    values: [toPlainArray(eventIds)],
  });
}
