import type { Pool } from 'pg';
import { addUnrecordedSpend, type UnrecordedSpend } from './add-unrecorded-spend.ts';

/*
 * An event that is being recorded at this very moment is neither found in `events` nor takes its row away, which it does not see: both would
 * stay, and count twice. Recording holds the table's own lock for writing from when it takes rows away until its commit, and this one
 * waits for that. Those that come later wait for us, and see our rows. Nobody waits for longer than this for somebody who waits.
 */
const begin = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = '1s';
  LOCK TABLE unrecorded_spend IN SHARE ROW EXCLUSIVE MODE`;

/**
 * Notes requests that were forwarded and whose event nobody will bring any more. Each of them is afterwards either recorded or noted, and not
 * both; called again, or by several at once, it changes nothing. By the writer's role.
 *
 * @returns the ids of those that were not noted before
 */
export async function noteEndedRequests(pool: Pool, ended: readonly UnrecordedSpend[]): Promise<string[]> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query(begin);
    // Noted by a proxy that stopped while its event was being recorded.
    await client.query({
      name: 'settle-ended-requests',
      text: `DELETE FROM unrecorded_spend
             WHERE event_id = ANY($1::uuid[]) AND EXISTS (SELECT FROM events WHERE id = unrecorded_spend.event_id)`,
      values: [ended.map(({ eventId }) => eventId)],
    });
    const added = await addUnrecordedSpend(client, ended);
    await client.query('COMMIT');
    failed = false;
    return added;
  } finally {
    client.release(failed);
  }
}
