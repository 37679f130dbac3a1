import { firstUuidAt } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../database.ts';

const weekMs = 7 * 24 * 60 * 60 * 1000;
/** 1970-01-05, the first Monday of the epoch: weeks are cut at Monday 00:00 UTC. */
const firstMonday = 4 * 24 * 60 * 60 * 1000;

/**
 * Makes the weekly partitions of `events` from the current week to `weeksAhead` weeks after it; those that
 * exist are left alone. Run by the migrator's role: the services may not create tables.
 *
 * @returns the names of the partitions that were made
 */
export async function makePartitions(db: Db, now: Date, weeksAhead = 8): Promise<string[]> {
  const thisWeek = firstMonday + Math.floor((now.getTime() - firstMonday) / weekMs) * weekMs;
  const made: string[] = [];
  // From the week before: an event whose request began before midnight may be recorded after it.
  for (let week = -1; week <= weeksAhead; week += 1) {
    const start = thisWeek + week * weekMs;
    const name = `events_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '_')}`;
    const exists = await sql<{ found: boolean }>`SELECT to_regclass(${name}) IS NOT NULL AS found`.execute(db);
    if (exists.rows[0]?.found) continue;
    await sql`
      CREATE TABLE IF NOT EXISTS ${sql.table(name)} PARTITION OF events
      FOR VALUES FROM (${sql.lit(firstUuidAt(start))}) TO (${sql.lit(firstUuidAt(start + weekMs))})`.execute(db);
    made.push(name);
  }
  return made;
}
