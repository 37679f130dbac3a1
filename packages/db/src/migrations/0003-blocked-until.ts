import { type Kysely, sql } from 'kysely';

/** When a block ends by itself; null for one that somebody ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE agents ADD COLUMN blocked_until timestamptz(3)`.execute(db);
  // Whoever changes the status and knows of no end, as plain SQL and the version before, makes a block that lasts.
  await sql`
    CREATE FUNCTION forget_end_of_block() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.blocked_until := NULL;
        RETURN NEW;
      END
    $$`.execute(db);
  await sql`
    CREATE TRIGGER agents_forget_end_of_block BEFORE UPDATE OF status ON agents FOR EACH ROW
    WHEN (NEW.blocked_until IS NOT DISTINCT FROM OLD.blocked_until) EXECUTE FUNCTION forget_end_of_block()`.execute(db);
  await sql`CREATE INDEX agents_by_end_of_block ON agents (blocked_until) WHERE blocked_until IS NOT NULL`.execute(db);
}
