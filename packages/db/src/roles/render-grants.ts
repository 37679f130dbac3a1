import {
  type GrantedRole,
  reportingSchema,
  roleNames,
  type TablePrivileges,
  tablePrivileges,
  viewPrivileges,
} from './privileges.ts';

/** What is there to grant privileges on. Names are quoted already where they need it. */
export interface GrantTargets {
  database: string;
  /** Owns all of it; what it makes later is refused to the others too. */
  owner: string;
  /** Those of our roles that exist, without the one that owns the schema. */
  roles: readonly GrantedRole[];
  /** Schemas of ours that exist. */
  schemas: readonly string[];
  /** Tables, partitions and views of those schemas, with their schema. */
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

/** A view reads its tables with its owner's rights, but calls functions with those of whoever asks. */
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

/**
 * The statements that leave every role with exactly its privileges, for one transaction that the owner of everything runs: first
 * all is taken from the roles and from PUBLIC, what others granted on included, then each gets its own. What comes later gives
 * nobody anything, functions included, which Postgres would let everybody call.
 */
export function renderGrants(targets: GrantTargets): string[] {
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
