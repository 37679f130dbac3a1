import { type Kysely, sql } from 'kysely';

/** A released migration never changes, so neither do these. */
const durations = `under_100_ms under_200_ms under_400_ms under_800_ms under_1600_ms under_3200_ms under_6400_ms
  under_12800_ms under_25600_ms under_51200_ms under_102400_ms under_204800_ms longer`.split(/\s+/);

/** Failed calls and durations in the usage by day and by hour; of calls before, neither is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const added = ['failed_count bigint', ...durations.map((name) => `${name} integer`)];
  const columns = sql.raw(added.map((column) => `ADD COLUMN ${column} NOT NULL DEFAULT 0`).join(', '));
  for (const table of ['daily_usage', 'hourly_usage'])
    await sql`ALTER TABLE ${sql.table(table)} ${columns}`.execute(db);
  // Rows lie in the order of their hours: a range of them is read without the others, for next to no work of writers.
  await sql`
    CREATE INDEX hourly_usage_by_hour ON hourly_usage USING brin (hour)
    WITH (pages_per_range = 32, autosummarize = on)`.execute(db);
}
