import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { reportingSchema } from './privileges.ts';

/** The schemas that hold what is ours. */
export const ownSchemas = ['public', reportingSchema];

export interface OwnedObjects {
  schemas: string[];
  relations: string[];
  sequences: string[];
  routines: string[];
}

/**
 * The objects in our schemas that a role owns, or those that other roles own: quoted names with their schema. Objects of
 * extensions are left out.
 */
export async function findOwnedObjects(db: Db, role: string, isOwner = true): Promise<OwnedObjects> {
  const owned = (column: string) => sql`(${sql.ref(column)} = ${role}::regrole) = ${isOwner}`;
  const notOfExtension = (id: string, catalog: string) => sql`NOT EXISTS (
    SELECT FROM pg_depend WHERE classid = ${catalog}::regclass AND objid = ${sql.ref(id)} AND deptype = 'e')`;
  const { rows } = await sql<{ kind: keyof OwnedObjects; name: string }>`
    SELECT 'schemas' AS kind, quote_ident(nspname) AS name FROM pg_namespace WHERE nspname = ANY(${ownSchemas})
    UNION ALL
    SELECT CASE relkind WHEN 'S' THEN 'sequences' ELSE 'relations' END, format('%I.%I', nspname, relname)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = ANY(${ownSchemas}) AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
      AND ${owned('relowner')} AND ${notOfExtension('pg_class.oid', 'pg_class')}
    UNION ALL
    SELECT 'routines', format('%I.%I(%s)', nspname, proname, pg_get_function_identity_arguments(pg_proc.oid))
    FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE nspname = ANY(${ownSchemas}) AND ${owned('proowner')} AND ${notOfExtension('pg_proc.oid', 'pg_proc')}
    ORDER BY kind, name`.execute(db);
  const named = (kind: keyof OwnedObjects) => rows.filter((row) => row.kind === kind).map(({ name }) => name);
  return {
    schemas: named('schemas'),
    relations: named('relations'),
    sequences: named('sequences'),
    routines: named('routines'),
  };
}
