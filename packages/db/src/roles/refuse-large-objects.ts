import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** What makes a large object; the last is the server's own to refuse, and is refused unless somebody opened it. */
const makers = ['lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import'];

/**
 * Takes from PUBLIC what Postgres gives it in every database: to store large objects, as many and as long as the disk has room for,
 * which no privilege on tables and no read-only setting of a role stops. The product makes none. Only a superuser may, since the
 * functions are the server's.
 *
 * @returns the functions that stay open, since who is connected may not take them back
 */
export async function refuseLargeObjects(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; revocable: boolean }>`
    SELECT format('pg_catalog.%I(%s)', proname, pg_get_function_identity_arguments(oid)) AS name,
      pg_has_role(proowner, 'USAGE') AS revocable
    FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY(${makers})
      AND has_function_privilege('public', oid, 'EXECUTE')
    ORDER BY name`.execute(db);
  for (const { name, revocable } of rows)
    if (revocable) await sql`REVOKE EXECUTE ON FUNCTION ${sql.raw(name)} FROM PUBLIC`.execute(db);
  return rows.filter(({ revocable }) => !revocable).map(({ name }) => name);
}
