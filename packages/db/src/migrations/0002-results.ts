import { type Kysely, sql } from 'kysely';
import { durationColumns } from '../usage-columns.ts';

/** Failed calls and durations in the usage by day and by hour; of calls before, neither is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const added = ['failed_count bigint', ...durationColumns.map((name) => `${name} integer`)];
  const columns = sql.raw(added.map((column) => `ADD COLUMN ${column} NOT NULL DEFAULT 0`).join(', '));
  for (const table of ['daily_usage', 'hourly_usage'])
    await sql`ALTER TABLE ${sql.table(table)} ${columns}`.execute(db);
  // Rows lie in the order of their hours: a range of them is read without the others, for next to no work of writers.
  await sql`
    CREATE INDEX hourly_usage_by_hour ON hourly_usage USING brin (hour)
    WITH (pages_per_range = 32, autosummarize = on)`.execute(db);
}
