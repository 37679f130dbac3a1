import { type Kysely, sql } from 'kysely';
import { durationColumns } from '../usage-columns.ts';

/** Failed calls and durations in the usage by day and by hour; of calls before, neither is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const added = ['failed_count bigint', ...durationColumns.map((name) => `${name} integer`)];
  const columns = sql.raw(added.map((column) => `ADD COLUMN ${column} NOT NULL DEFAULT 0`).join(', '));
  for (const table of ['daily_usage', 'hourly_usage'])
    await sql`ALTER TABLE ${sql.table(table)} ${columns}`.execute(db);
}
