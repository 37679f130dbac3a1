import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { limitLockWait } from '../maintain/locks.ts';
import { lockPartitions } from '../maintain/partitions.ts';
import { reportingSchema, teamRole } from '../role-names.ts';
import { roleNames } from './privileges.ts';

const ownSchemas = ['public', reportingSchema, teamRole];

interface OwnedObjects {
  schemas: string[];
  relations: string[];
  sequences: string[];
  routines: string[];
}

/** The objects in our schemas that a role owns, or that other roles own, without extensions' own. */
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

/**
 * Makes the migrator's role the owner of the database, our schemas and everything in them. A former owner without superuser rights becomes
 * a member of it: services may still be connected as that user. Run in a transaction as a superuser, or as the owner who may create roles.
 * Returns the former owners.
 */
export async function handOver(db: Db): Promise<string[]> {
  await lockPartitions(db);
  await limitLockWait(db);
  const migrator = sql.id(roleNames.migrator);
  const { rows: owners } = await sql<{ name: string }>`
    SELECT quote_ident(rolname) AS name FROM pg_roles
    WHERE NOT rolsuper AND rolname NOT IN (${roleNames.migrator}, 'pg_database_owner') AND (
      oid = (SELECT datdba FROM pg_database WHERE datname = current_database())
      OR EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                 WHERE relowner = pg_roles.oid AND nspname = ANY(${ownSchemas})))`.execute(db);
  for (const { name } of owners) await sql`GRANT ${migrator} TO ${sql.raw(name)}`.execute(db);
  const { rows: me } = await sql<{ superuser: boolean; database: string }>`
    SELECT rolsuper AS superuser, quote_ident(current_database()) AS database
    FROM pg_roles WHERE rolname = current_user`.execute(db);
  // Only a member of the new owner may name it as such. Since Postgres 16 the creator of a role must first make itself one.
  if (!me[0]?.superuser) await sql`GRANT ${migrator} TO CURRENT_USER`.execute(db);
  await sql`ALTER DATABASE ${sql.raw(me[0]?.database ?? '')} OWNER TO ${migrator}`.execute(db);
  // Since Postgres 15 the owner of the database owns `public`.
  const { rows: schemas } = await sql<{ name: string }>`
    SELECT quote_ident(nspname) AS name FROM pg_namespace
    WHERE nspname = ANY(${ownSchemas}) AND pg_get_userbyid(nspowner) NOT IN (${roleNames.migrator}, 'pg_database_owner')`.execute(
    db,
  );
  for (const { name } of schemas) await sql`ALTER SCHEMA ${sql.raw(name)} OWNER TO ${migrator}`.execute(db);
  const { relations, routines } = await findOwnedObjects(db, roleNames.migrator, false);
  for (const name of relations) await sql`ALTER TABLE ${sql.raw(name)} OWNER TO ${migrator}`.execute(db);
  for (const name of routines) await sql`ALTER ROUTINE ${sql.raw(name)} OWNER TO ${migrator}`.execute(db);
  return owners.map(({ name }) => name);
}

const makers = ['lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import'];

/** Large objects could fill the disk. Only a superuser may revoke it. Returns the functions that stay open. */
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
