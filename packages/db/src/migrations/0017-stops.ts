import { type Kysely, sql } from 'kysely';

/** The status that the whole installation stopped an agent with, which no team lifts; null if it did not. Each stop writes it anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE agents ADD COLUMN installation_stop text`.execute(db);
  await sql`
    CREATE FUNCTION note_stop_of_installation() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF coalesce(current_setting('agp.team', true), '') = '' THEN
          NEW.installation_stop := nullif(NEW.status, 'active');
        END IF;
        RETURN NEW;
      END
    $$`.execute(db);
  await sql`
    CREATE TRIGGER agents_note_stop_of_installation BEFORE UPDATE OF status ON agents
    FOR EACH ROW EXECUTE FUNCTION note_stop_of_installation()`.execute(db);
  // Teams come with this release: all that is stopped was stopped by the installation.
  await sql`UPDATE agents SET installation_stop = status WHERE status <> 'active'`.execute(db);
}
