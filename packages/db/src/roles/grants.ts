import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { lockPartitions } from '../maintain/partitions.ts';
import { reportingSchema } from '../role-names.ts';
import { findOwnedObjects } from './hand-over.ts';
import { type GrantedRole, roleNames, type TablePrivileges, tablePrivileges, viewPrivileges } from './privileges.ts';
import { makeTeamViews } from './team-views.ts';

interface GrantTargets {
  database: string;
  /** Owns all of it; its future objects are refused to the others too. */
  owner: string;
  roles: readonly GrantedRole[];
  schemas: readonly string[];
  relations: readonly string[];
  sequences: readonly string[];
  routines: readonly string[];
}

const quote = (name: string) => `"${name}"`;

function renderTable(table: string, role: string, privileges: TablePrivileges): string {
  const parts = Object.entries(privileges).map(([kind, columns]) =>
    Array.isArray(columns) ? `${kind.toUpperCase()} (${columns.map(quote).join(', ')})` : kind.toUpperCase(),
  );
  return `GRANT ${parts.join(', ')} ON TABLE public.${quote(table)} TO ${role}`;
}

function renderRole(role: GrantedRole, targets: GrantTargets): string[] {
  const name = roleNames[role];
  const views = renderViews(role, targets);
  if (role === 'grafana') return views;
  return [
    `GRANT USAGE ON SCHEMA public TO ${name}`,
    ...Object.entries(tablePrivileges[role]).map(([table, privileges]) => renderTable(table, name, privileges)),
    ...views,
  ];
}

/** A view reads its tables with its owner's rights, but calls functions with the caller's. */
function renderViews(role: GrantedRole, { schemas }: GrantTargets): string[] {
  const name = roleNames[role];
  const views = viewPrivileges[role];
  if (!schemas.includes(reportingSchema) || (role !== 'grafana' && views === undefined)) return [];
  const relations = views?.map((view) => `${reportingSchema}.${quote(view)}`).join(', ');
  return [
    `GRANT USAGE ON SCHEMA ${reportingSchema} TO ${name}`,
    `GRANT SELECT ON ${relations ?? `ALL TABLES IN SCHEMA ${reportingSchema}`} TO ${name}`,
    `GRANT EXECUTE ON ALL ROUTINES IN SCHEMA ${reportingSchema} TO ${name}`,
  ];
}

/** Revokes all first, from PUBLIC too; future objects are open to nobody, functions included. */
function renderGrants(targets: GrantTargets): string[] {
  const everybody = ['PUBLIC', ...targets.roles.map((role) => roleNames[role])].join(', ');
  const revoke = (kind: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`REVOKE ALL ON ${kind} ${names.join(', ')} FROM ${everybody} CASCADE`];
  const inSchemas = ['', ...targets.schemas.map((schema) => ` IN SCHEMA ${schema}`)];
  return [
    ...revoke('TABLE', targets.relations),
    ...revoke('SEQUENCE', targets.sequences),
    ...revoke('ROUTINE', targets.routines),
    ...revoke('SCHEMA', targets.schemas),
    ...revoke('DATABASE', [targets.database]),
    ...inSchemas.flatMap((where) =>
      ['TABLES', 'SEQUENCES', 'ROUTINES'].map(
        (kind) => `ALTER DEFAULT PRIVILEGES FOR ROLE ${targets.owner}${where} REVOKE ALL ON ${kind} FROM ${everybody}`,
      ),
    ),
    ...targets.roles.flatMap((role) => [
      `GRANT CONNECT ON DATABASE ${targets.database} TO ${roleNames[role]}`,
      ...renderRole(role, targets),
    ]),
  ];
}

/** In one transaction, so that running services are never without. Roles that do not exist are skipped. */
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
    if (first !== undefined && roles.length > 0) {
      const { database, owner } = first;
      const statements = renderGrants({ database, owner, roles, ...(await findOwnedObjects(transaction, owner)) });
      for (const statement of statements) await sql.raw(statement).execute(transaction);
    }
    await makeTeamViews(transaction);
  });
}
