import { uuidTime } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { hasPartition } from '../partitions/has-partition.ts';
import type { Partition } from '../partitions/list-partitions.ts';
import { lockPartitions } from '../partitions/lock-partitions.ts';
import { limitLockWait, lockWithin, tryForLocks } from '../partitions/try-for-locks.ts';
import { keepAnchors } from './keep-anchors.ts';
import { retentionEntry } from './retention-entry.ts';

/** Longest time for the anchors of a week, in milliseconds: a million events take two to eight seconds. */
export const longestRemovalMs = 4 * 60 * 60_000;

/**
 * Removes a partition with its events in one transaction, together with the anchors that their chains continue from and the entry in
 * the audit log.
 *
 * While the anchors are made, only writers into this partition wait; then everybody waits for the moment of the removal. A writer that
 * waits for the partition holds a lock that this moment needs: Postgres ends one of the two, and both try again.
 *
 * @returns how many events it held; null where somebody else has removed it
 * @throws TableInUseError
 */
export function dropPartition(db: Db, partition: Partition): Promise<number | null> {
  const refusal = `${partition.name} cannot be removed now`;
  return tryForLocks(db, refusal, () =>
    db.transaction().execute((transaction) => dropIn(transaction, partition, refusal)),
  );
}

async function dropIn(transaction: Db, { name, from, to }: Partition, refusal: string): Promise<number | null> {
  await lockPartitions(transaction);
  if (!(await hasPartition(transaction, name))) return null;
  await limitLockWait(transaction);
  await sql`SET LOCAL statement_timeout = ${sql.lit(longestRemovalMs)}`.execute(transaction);
  // If this process is killed, the server must notice and release the locks while the statement still runs.
  await sql`SET LOCAL client_connection_check_interval = '10s'`.execute(transaction);
  const table = sql.table(name);
  await sql`LOCK TABLE ONLY ${table} IN SHARE MODE`.execute(transaction);
  const removed = await keepAnchors(transaction, sql`SELECT session_id, seq, lineage_hash FROM ONLY ${table}`);
  await lockWithin(transaction, refusal, 'events');
  await sql`DROP TABLE ${table}`.execute(transaction);
  await appendAudit(transaction, [
    retentionEntry(name, {
      from: new Date(uuidTime(from)).toISOString(),
      to: new Date(uuidTime(to)).toISOString(),
      ...removed,
    }),
  ]);
  return removed.events;
}
