import type pg from 'pg';

/** What a server says of itself. */
export interface ServerRole {
  /** It follows another server, so it takes no writes, and what it knows may be old. */
  isStandby: boolean;
  /** Its history, counted up by each promotion: the old primary of a promoted standby stays behind. Null for a standby. */
  timeline: number | null;
}

const text = `
  SELECT pg_is_in_recovery() AS "isStandby",
    CASE WHEN NOT pg_is_in_recovery() THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;

/** Asks for less of the only server there is: some services that speak Postgres' protocol have no timeline. */
const textOfOnly = 'SELECT pg_is_in_recovery() AS "isStandby", NULL::int AS timeline';

/** @param isOnly there is no other server to compare it with */
export async function askRole(client: pg.ClientBase, isOnly: boolean): Promise<ServerRole> {
  const { rows } = await client.query<ServerRole>(isOnly ? textOfOnly : text);
  return rows[0] ?? { isStandby: true, timeline: null };
}
