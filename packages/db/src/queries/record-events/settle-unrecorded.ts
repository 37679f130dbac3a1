import type { ClientBase } from 'pg';
import { toPlainArray } from './to-array-literal.ts';

/**
 * Removes the unrecorded spend of events that are recorded after all: they count by their own row now. Part of every transaction that
 * adds events, since `noteEndedRequests` waits for the table lock that this takes even without rows.
 */
export async function settleUnrecorded(client: ClientBase, eventIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'settle-unrecorded',
    text: 'DELETE FROM unrecorded_spend WHERE event_id = ANY($1::uuid[])',
    values: [toPlainArray(eventIds)],
  });
}
