import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Functions that make large objects. */
const makers = ['lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import'];

/**
 * Revokes from PUBLIC the right to store large objects, which Postgres grants in every database: they could fill the disk, whatever
 * privileges on tables and read-only settings a role has. The product uses none. Only a superuser may revoke it.
 *
 * @returns the functions that stay open because the present user may not revoke them
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
