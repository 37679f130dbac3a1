import type { ClientBase } from 'pg';
import { toPlainArray } from './to-array-literal.ts';

/**
 * An event that is recorded after all is counted by its row, and no longer beside it. Run in every transaction that adds events: the lock on
 * the table that comes with it, rows or none, is what `noteEndedRequests` waits for.
 */
export async function settleUnrecorded(client: ClientBase, eventIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'settle-unrecorded',
    text: 'DELETE FROM unrecorded_spend WHERE event_id = ANY($1::uuid[])',
    values: [toPlainArray(eventIds)],
  });
}
