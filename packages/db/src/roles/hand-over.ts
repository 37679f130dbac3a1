import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { roleNames } from './privileges.ts';

/**
 * Gives the database, and with it the schema `public`, to the migrator's role. Objects in it keep their owners.
 *
 * @param db a transaction as a superuser, or as the database's owner who may create roles
 */
export async function handOver(db: Db): Promise<void> {
  const migrator = sql.id(roleNames.migrator);
  const { rows } = await sql<{ superuser: boolean; database: string }>`
    SELECT rolsuper AS superuser, quote_ident(current_database()) AS database
    FROM pg_roles WHERE rolname = current_user`.execute(db);
  const [me] = rows;
  // Only a member of the new owner may name it as such. Since Postgres 16 who made a role may let himself in, but is not in yet.
  if (!me?.superuser) await sql`GRANT ${migrator} TO CURRENT_USER`.execute(db);
  await sql`ALTER DATABASE ${sql.raw(me?.database ?? '')} OWNER TO ${migrator}`.execute(db);
}
