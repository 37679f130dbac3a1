import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { lockPartitions } from '../queries/partitions/lock-partitions.ts';
import { limitLockWait } from '../queries/partitions/try-for-locks.ts';
import { findOwnedObjects, ownSchemas } from './find-owned-objects.ts';
import { roleNames } from './privileges.ts';

/**
 * Makes the migrator's role the owner of the database, our schemas and everything in them, also where a single user ran the product
 * until now. Run again, it locks only what the migrator does not own yet.
 *
 * A former owner without superuser rights becomes a member of the migrator's role: services may still be connected as that user, and
 * must keep their access while they are replaced.
 *
 * @param db a transaction as a superuser, or as the owner of all of it who may create roles
 * @returns the former owners
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
