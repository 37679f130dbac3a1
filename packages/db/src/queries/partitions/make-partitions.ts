import { firstUuidAt } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { hasPartition } from './has-partition.ts';
import { lockPartitions } from './lock-partitions.ts';
import { limitLockWait, tryForLocks } from './try-for-locks.ts';

const weekMs = 7 * 24 * 60 * 60 * 1000;
/** 1970-01-05, the first Monday of the epoch: weeks are cut at Monday 00:00 UTC. */
const firstMonday = 4 * 24 * 60 * 60 * 1000;

/** Makes one partition, unless it exists. @returns whether it was made */
function makePartition(db: Db, name: string, from: string, to: string): Promise<boolean> {
  return tryForLocks(`${name} cannot be made now`, () =>
    db.transaction().execute((transaction) => makeIn(transaction, name, from, to)),
  );
}

async function makeIn(transaction: Db, name: string, from: string, to: string): Promise<boolean> {
  // Others may make partitions at the same time: two processes that migrate, or one that maintains.
  await lockPartitions(transaction);
  if (await hasPartition(transaction, name)) return false;
  await limitLockWait(transaction);
  // What the new partition takes anyway, but before the look: no row of its range arrives after it, and nobody who
  // knows only the old partitions looks for the rows while they move.
  await sql`LOCK TABLE events IN ACCESS EXCLUSIVE MODE`.execute(transaction);
  const inRange = sql`id >= ${sql.lit(from)} AND id < ${sql.lit(to)}`;
  const strays = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM events_default WHERE ${inRange}) AS found`.execute(transaction);
  const table = sql.table(name);
  const bounds = sql`FOR VALUES FROM (${sql.lit(from)}) TO (${sql.lit(to)})`;
  if (!strays.rows[0]?.found) {
    await sql`CREATE TABLE ${table} PARTITION OF events ${bounds}`.execute(transaction);
    return true;
  }
  // Postgres refuses a partition whose rows the default one holds.
  await sql`CREATE TABLE ${table} (LIKE events INCLUDING ALL)`.execute(transaction);
  await sql`
    WITH moved AS (DELETE FROM events_default WHERE ${inRange} RETURNING *)
    INSERT INTO ${table} SELECT * FROM moved`.execute(transaction);
  await sql`ALTER TABLE events ATTACH PARTITION ${table} ${bounds}`.execute(transaction);
  return true;
}

/**
 * Makes the weekly partitions of `events` from the week before the current one to `weeksAhead` weeks after it; those
 * that exist are left alone. Events of such a week that had to go to the default partition are moved to theirs. Run by
 * the migrator's role: the services may not create tables. Safe to run from several places at once.
 *
 * @returns the names of the partitions that were made
 * @throws TableInUseError
 */
export async function makePartitions(db: Db, now: Date, weeksAhead = 8): Promise<string[]> {
  const thisWeek = firstMonday + Math.floor((now.getTime() - firstMonday) / weekMs) * weekMs;
  const made: string[] = [];
  // From the week before: an event whose request began before midnight may be recorded after it.
  for (let week = -1; week <= weeksAhead; week += 1) {
    const start = thisWeek + week * weekMs;
    const name = `events_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '_')}`;
    if (await makePartition(db, name, firstUuidAt(start), firstUuidAt(start + weekMs))) made.push(name);
  }
  return made;
}
