import { type Kysely, sql } from 'kysely';

/**
 * Whoever has the proxy's role adds to sums and takes nothing off: a negative cost would lift a cap, and so would one that is not
 * a number, which Postgres holds to be above all others. No version wrote such rows, so where one is found somebody else did:
 * the migration fails and the row stays to be looked at.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    ALTER TABLE unrecorded_spend
      ADD CONSTRAINT unrecorded_spend_adds CHECK (cost_usd >= 0 AND cost_usd <> 'NaN')`.execute(db);
  await sql`ALTER TABLE refusal_counts ADD CONSTRAINT refusal_counts_adds CHECK (count > 0)`.execute(db);
}
