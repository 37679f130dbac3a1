import type { Pool } from 'pg';
import { addUnrecordedSpend, type UnrecordedSpend } from './add-unrecorded-spend.ts';

/*
 * Without a lock, an event that is being recorded at this moment would count twice: we do not find it in `events` yet, and its
 * transaction does not see the row that we add. Recording holds the table's write lock from when it deletes rows until its commit, so
 * we wait for it here, and later recordings wait for us and see our rows. `lock_timeout` bounds how long others queue behind us.
 */
const begin = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = '1s';
  LOCK TABLE unrecorded_spend IN SHARE ROW EXCLUSIVE MODE`;

/**
 * Notes forwarded requests whose event will never arrive. Afterwards each is either recorded or noted, never both; repeated or
 * concurrent calls change nothing. Needs the writer's role.
 *
 * @returns the ids of those that were not noted before
 */
export async function noteEndedRequests(pool: Pool, ended: readonly UnrecordedSpend[]): Promise<string[]> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query(begin);
    // Rows of proxies that stopped while the event was being recorded.
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
