import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { lockPartitions } from '../queries/partitions/lock-partitions.ts';
import { findOwnedObjects } from './find-owned-objects.ts';
import { type GrantedRole, roleNames } from './privileges.ts';
import { renderGrants } from './render-grants.ts';

/**
 * Gives every role of the product exactly the privileges of `privileges.ts`: grants what is missing and revokes all else. Roles that
 * do not exist are skipped; a database without any of them, which has a single user, is not changed. In one transaction, so that
 * running services are never without their privileges.
 *
 * @param db as the owner of the schema, or as a superuser
 */
export async function applyGrants(db: Db): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockPartitions(transaction);
    const { rows } = await sql<{ rolname: string; database: string; owner: string }>`
      SELECT rolname, quote_ident(current_database()) AS database, quote_ident(pg_get_userbyid(relowner)) AS owner
      FROM pg_roles, pg_class WHERE rolname = ANY(${Object.values(roleNames)}) AND pg_class.oid = 'public.events'::regclass`.execute(
      transaction,
    );
    const [first] = rows;
    const existing = new Set(rows.map(({ rolname }) => rolname));
    const roles = (Object.keys(roleNames) as (keyof typeof roleNames)[]).filter(
      (role): role is GrantedRole => role !== 'migrator' && existing.has(roleNames[role]),
    );
    if (first === undefined || roles.length === 0) return;
    const { database, owner } = first;
    const statements = renderGrants({ database, owner, roles, ...(await findOwnedObjects(transaction, owner)) });
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  });
}
