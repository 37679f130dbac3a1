import { type Kysely, sql } from 'kysely';

/** Budgets and rules of alerts as they were written, with their comments; null if that was JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A release that knows no texts, and a target's new name, change what a text says.
  await sql`
    CREATE FUNCTION forget_text() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.text := NULL;
        RETURN NEW;
      END
    $$`.execute(db);
  for (const [table, column] of [
    ['budgets', 'budget'],
    ['notification_rules', 'rule'],
  ] as const) {
    const [name, changed] = [sql.table(table), sql.ref(column)];
    await sql`ALTER TABLE ${name} ADD COLUMN text text`.execute(db);
    await sql`
      CREATE TRIGGER ${sql.ref(`${table}_forget_text`)} BEFORE UPDATE OF ${changed} ON ${name} FOR EACH ROW
      WHEN (NEW.${changed} IS DISTINCT FROM OLD.${changed} AND NEW.text IS NOT DISTINCT FROM OLD.text)
      EXECUTE FUNCTION forget_text()`.execute(db);
  }
}
