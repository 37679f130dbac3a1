import { type Kysely, sql } from 'kysely';

/** A released migration never changes, so neither do these. */
const bounds = '100 200 400 800 1600 3200 6400 12800 25600 51200 102400 204800'.split(' ');

/** Times to the first byte in the usage by day and by hour; those of calls before are not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const added = [...bounds.map((bound) => `first_byte_under_${bound}_ms`), 'first_byte_longer'];
  const columns = sql.raw(added.map((name) => `ADD COLUMN ${name} integer NOT NULL DEFAULT 0`).join(', '));
  for (const table of ['daily_usage', 'hourly_usage'])
    await sql`ALTER TABLE ${sql.table(table)} ${columns}`.execute(db);
}
