import { setTimeout } from 'node:timers/promises';
import { uuidTime } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { appendAudit } from '../append-audit.ts';
import { hasPartition } from '../has-partition.ts';
import { lockPartitions } from '../lock-partitions.ts';
import { keepAnchors } from './keep-anchors.ts';
import type { OldPartition } from './list-old-partitions.ts';
import { retentionEntry } from './retention-entry.ts';

/** Somebody reads or writes the events for longer than we let others wait. */
export class PartitionInUseError extends Error {
  readonly code = 'partition_in_use';
}

const tries = 5;
/** While we wait for `events`, everybody who comes after us waits too. */
const lockTimeout = '2s';
const pauseMs = 3_000;
/** `lock_not_available` and `deadlock_detected`. */
const inUse = new Set(['55P03', '40P01']);

/**
 * Removes a partition with its events, in one transaction: what their chains need to go on, an entry of the audit log, and the
 * removal are stored together, or none is.
 *
 * First only what would still write into the partition has to wait, while the anchors are made; then everybody, for the moment
 * that taking it away needs. A writer that waits for this partition holds what that moment needs: Postgres ends one of the two,
 * and both try again.
 *
 * @returns how many events it held; null where somebody else has removed it meanwhile
 * @throws PartitionInUseError
 */
export async function dropPartition(db: Db, partition: OldPartition): Promise<number | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute((transaction) => dropIn(transaction, partition));
    } catch (error) {
      if (!inUse.has(String((error as { code?: unknown }).code))) throw error;
      if (attempt === tries)
        throw new PartitionInUseError(`${partition.name} cannot be removed now: a long query or a backup reads events`);
      await setTimeout(pauseMs);
    }
  }
}

async function dropIn(transaction: Db, { name, from, to }: OldPartition): Promise<number | null> {
  // Others may make or remove partitions at the same time.
  await lockPartitions(transaction);
  if (!(await hasPartition(transaction, name))) return null;
  await sql`SET LOCAL lock_timeout = ${sql.lit(lockTimeout)}`.execute(transaction);
  const table = sql.table(name);
  await sql`LOCK TABLE ONLY ${table} IN SHARE MODE`.execute(transaction);
  const removed = await keepAnchors(transaction, sql`SELECT session_id, seq, lineage_hash FROM ONLY ${table}`);
  await sql`LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE`.execute(transaction);
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
