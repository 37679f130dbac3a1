import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { type Db, refuseStandby } from '../database.ts';
import { StorageUnavailableError } from '../guarded-database.ts';
import { teamRole } from '../role-names.ts';
import { type RoleKey, roleNames, roleSettings } from './privileges.ts';

const iterations = 4_096;

/** SCRAM-SHA-256 (RFC 5803), made here so that no statement, and so no log, holds the password. */
function makeScramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/** A role that does not exist yet, and no password for it. */
export class MissingPasswordError extends Error {
  readonly code = 'missing_password';
  readonly role: RoleKey;
  constructor(role: RoleKey) {
    super(`role ${roleNames[role]} does not exist, and no password was given for it`);
    this.role = role;
  }
}

interface RoleRow {
  rolname: string;
  rolsuper: boolean;
  rolcreaterole: boolean;
  rolcreatedb: boolean;
  rolreplication: boolean;
  rolbypassrls: boolean;
}

/** Attributes that no role of the product may have, with the option that removes each. */
const forbidden = {
  rolsuper: 'NOSUPERUSER',
  rolcreaterole: 'NOCREATEROLE',
  rolcreatedb: 'NOCREATEDB',
  rolreplication: 'NOREPLICATION',
  rolbypassrls: 'NOBYPASSRLS',
} as const;

async function makeRole(db: Db, role: RoleKey, password: string | undefined): Promise<void> {
  const name = sql.id(roleNames[role]);
  const { rows } = await sql<RoleRow>`
    SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls
    FROM pg_roles WHERE rolname = ${roleNames[role]}`.execute(db);
  const [known] = rows;
  if (known === undefined) {
    if (password === undefined) throw new MissingPasswordError(role);
    await sql`CREATE ROLE ${name} LOGIN PASSWORD ${sql.lit(makeScramVerifier(password))}`.execute(db);
  } else {
    // Only those the role has: an administrator who is no superuser may not name the others.
    const taken = (Object.keys(forbidden) as (keyof typeof forbidden)[])
      .filter((attribute) => known[attribute])
      .map((attribute) => forbidden[attribute]);
    const verifier = password === undefined ? [] : [`PASSWORD '${makeScramVerifier(password)}'`];
    await sql`ALTER ROLE ${name} LOGIN ${sql.raw([...taken, ...verifier].join(' '))}`.execute(db);
    await leaveGroups(db, role);
  }
  for (const [setting, value] of Object.entries(roleSettings[role] ?? {}))
    await sql`ALTER ROLE ${name} SET ${sql.id(setting)} = ${sql.lit(value)}`.execute(db);
}

/** A role has only what is granted to itself and inherits nothing. */
async function leaveGroups(db: Db, role: RoleKey): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    SELECT DISTINCT quote_ident(pg_get_userbyid(roleid)) AS name FROM pg_auth_members
    WHERE member = ${roleNames[role]}::regrole`.execute(db);
  for (const { name } of rows) await sql`REVOKE ${sql.raw(name)} FROM ${sql.id(roleNames[role])} CASCADE`.execute(db);
}

/** A role that exists keeps its password unless a new one is given. Throws MissingPasswordError. */
export async function createRoles(db: Db, passwords: Partial<Record<RoleKey, string>>): Promise<void> {
  for (const role of Object.keys(roleNames) as RoleKey[]) await makeRole(db, role, passwords[role]);
  await sql`
    DO $$ BEGIN CREATE ROLE ${sql.id(teamRole)} NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`.execute(db);
  await sql`GRANT ${sql.id(teamRole)} TO ${sql.id(roleNames.management)}`.execute(db);
}

const noSuchDatabase = '3D000';
const alreadyThere = '42P04';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'agp-create-roles',
    connectionTimeoutMillis: 5_000,
  });
  try {
    await client.connect();
    await refuseStandby(client);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** It compares text by bytes, whatever the server's locale. Throws StorageUnavailableError. */
export async function ensureDatabase(url: string): Promise<void> {
  try {
    await (await connect(url)).end();
  } catch (error) {
    if ((error as { code?: unknown }).code !== noSuchDatabase) throw new StorageUnavailableError(error);
    const target = new URL(url);
    const name = decodeURIComponent(target.pathname.slice(1));
    const client = await connect(Object.assign(target, { pathname: '/postgres' }).href).catch((cause: unknown) => {
      throw new StorageUnavailableError(cause);
    });
    try {
      await client.query(
        `CREATE DATABASE ${client.escapeIdentifier(name)} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`,
      );
    } catch (cause) {
      if ((cause as { code?: unknown }).code !== alreadyThere) throw cause;
    } finally {
      await client.end();
    }
  }
}
