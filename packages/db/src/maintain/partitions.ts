import { firstUuidAt } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { limitLockWait, tryForLocks } from './locks.ts';

/** `to_regclass` might answer from before the connection waited for a lock. */
export async function hasPartition(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (
      SELECT FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'events'::regclass AND relname = ${name}
    ) AS found`.execute(db);
  return rows[0]?.found ?? false;
}

const key = sql`hashtext('agp:make-partitions')`;

/** Keeps others from making, removing or listing partitions until the transaction ends. Take it before looking at them. */
export async function lockPartitions(transaction: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${key})`.execute(transaction);
}

/** The same for several transactions on one connection; {@link lockPartitions} does not wait within it. */
export function withPartitionsLocked<Result>(db: Db, work: (connection: Db) => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`SELECT pg_advisory_lock(${key})`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`SELECT pg_advisory_unlock(${key})`.execute(connection);
    }
  });
}

const weekMs = 7 * 24 * 60 * 60 * 1000;
/** 1970-01-05, the first Monday of the epoch: weeks are cut at Monday 00:00 UTC. */
const firstMonday = 4 * 24 * 60 * 60 * 1000;

/** Returns false for one that exists. The lock is taken before the look, so that no row of the range arrives after it. */
function makePartition(db: Db, name: string, from: string, to: string): Promise<boolean> {
  return tryForLocks(db, `${name} cannot be made now`, () =>
    db.transaction().execute((transaction) => makeIn(transaction, name, from, to)),
  );
}

async function makeIn(transaction: Db, name: string, from: string, to: string): Promise<boolean> {
  await lockPartitions(transaction);
  if (await hasPartition(transaction, name)) return false;
  await limitLockWait(transaction);
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
  await sql`CREATE TABLE ${table} (LIKE events INCLUDING ALL)`.execute(transaction);
  await sql`
    WITH moved AS (DELETE FROM events_default WHERE ${inRange} RETURNING *)
    INSERT INTO ${table} SELECT * FROM moved`.execute(transaction);
  await sql`ALTER TABLE events ATTACH PARTITION ${table} ${bounds}`.execute(transaction);
  return true;
}

/**
 * Makes the missing weekly partitions of `events`, from last week to `weeksAhead` weeks ahead, and moves events of those weeks there from
 * the default partition. Safe to run several times at once. Returns the names of new ones; throws TableInUseError.
 */
export async function makePartitions(db: Db, now: Date, weeksAhead = 8): Promise<string[]> {
  const thisWeek = firstMonday + Math.floor((now.getTime() - firstMonday) / weekMs) * weekMs;
  const made: string[] = [];
  // An event may be recorded after midnight whose request began before.
  for (let week = -1; week <= weeksAhead; week += 1) {
    const start = thisWeek + week * weekMs;
    const name = `events_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '_')}`;
    if (await makePartition(db, name, firstUuidAt(start), firstUuidAt(start + weekMs))) made.push(name);
  }
  return made;
}
