import { type RoleUrls, startTestStack } from '@agp/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowedTo, refusedTo, refusedToAll, uuid } from '../../test/role-statements.ts';
import { openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import type { GrantedRole } from './privileges.ts';

const roles = ['proxy', 'writer', 'management', 'grafana'] as const satisfies GrantedRole[];
const refused = '42501';

let stack: Awaited<ReturnType<typeof startTestStack>>;
let owner: pg.Client;
const clients = {} as Record<GrantedRole, pg.Client>;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  return client;
}

/** Runs what `npm run migrate` does, as the migrator. */
async function migrateAgain(urls: RoleUrls<unknown, unknown>): Promise<void> {
  const database = openDatabase({ url: urls.migrator.databaseUrl, applicationName: 'roles-test', maxConnections: 1 });
  await migrate(database.db, new Date());
  await database.close();
}

/** The SQLSTATE that a statement ends with; null when it succeeds. What it did is undone. */
async function run(client: pg.Client, statement: string): Promise<string | null> {
  await client.query('BEGIN');
  try {
    await client.query(statement);
    return null;
  } catch (error) {
    return (error as pg.DatabaseError).code ?? String(error);
  } finally {
    await client.query('ROLLBACK');
  }
}

beforeAll(async () => {
  stack = await startTestStack();
  await migrateAgain(stack.urls); // a copy of a database does not have its grants on the database itself
  owner = await connect(stack.databaseUrl);
  for (const role of roles) clients[role] = await connect(stack.urls[role].databaseUrl);
});
afterAll(async () => {
  for (const client of [owner, ...Object.values(clients)]) await client?.end();
  await stack?.[Symbol.asyncDispose]();
});

describe.each(roles)('agp_%s', (role) => {
  test.each([...refusedToAll, ...refusedTo[role]])('is refused: %s', async (statement) => {
    // Grafana's transactions are read-only before they are anything else.
    const expected = role === 'grafana' ? /^(42501|25006)$/ : /^42501$/;
    expect(await run(clients[role], statement)).toMatch(expected);
  });

  test.each(allowedTo[role])('may: %s', async (statement) => {
    expect(await run(clients[role], statement)).toBeNull();
  });

  test('is refused every partition of events by its own name', async () => {
    const { rows } = await owner.query(
      "SELECT format('public.%s', inhrelid::regclass) AS name FROM pg_inherits WHERE inhparent = 'events'::regclass",
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const { name } of rows) expect(await run(clients[role], `SELECT FROM ${name}`), name).toBe(refused);
  });
});

test('grafana writes nothing even where it takes its own settings back, and its queries end after 30 seconds', async () => {
  const grafana = clients.grafana;
  await grafana.query('SET default_transaction_read_only = off');
  for (const statement of refusedToAll) expect(await run(grafana, statement), statement).toBe(refused);
  await grafana.query('RESET default_transaction_read_only');
  const { rows } = await grafana.query('SHOW statement_timeout');
  expect(rows).toEqual([{ statement_timeout: '30s' }]);
  await grafana.query("SET statement_timeout = '50ms'");
  expect(await run(grafana, 'SELECT pg_sleep(10)')).toBe('57014');
  await grafana.query('RESET statement_timeout');
});

const addSpend = (costUsd: string) =>
  `INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd, reason) VALUES ('${uuid}', now(), '${uuid}', ${costUsd}, 'lost')`;
const addRefusals = (count: string) =>
  `INSERT INTO refusal_counts VALUES (now(), '${uuid}', 'paused', ${count}, 's', now())`;

test.each([
  [addSpend('-1000'), addSpend('0')],
  [addSpend("'NaN'"), addSpend('0.5')],
  [addRefusals('-5'), addRefusals('1')],
  [`${addRefusals('7')}; UPDATE refusal_counts SET count = 0`, addRefusals('7')],
])('the proxy takes nothing off a sum: %s', async (statement, fitting) => {
  expect(await run(clients.proxy, statement)).toBe('23514');
  expect(await run(clients.proxy, fitting)).toBeNull();
});

/** Every privilege that anybody but an owner has on what is ours, as `grantee privilege object`. */
async function listPrivileges(): Promise<string[]> {
  const { rows } = await owner.query<{ privilege: string }>(`
    WITH held AS (
      SELECT relname::text AS object, relowner AS owner, aclexplode(relacl) AS acl
      FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'reporting'::regnamespace)
      UNION ALL
      SELECT format('%s.%s', attrelid::regclass, attname), relowner, aclexplode(attacl)
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace IN ('public'::regnamespace, 'reporting'::regnamespace)
      UNION ALL
      SELECT proname, proowner, aclexplode(coalesce(proacl, acldefault('f', proowner)))
      FROM pg_proc WHERE pronamespace IN ('public'::regnamespace, 'reporting'::regnamespace)
      UNION ALL
      SELECT nspname, nspowner, aclexplode(nspacl) FROM pg_namespace WHERE nspname IN ('public', 'reporting')
      UNION ALL
      SELECT 'database', datdba, aclexplode(coalesce(datacl, acldefault('d', datdba)))
      FROM pg_database WHERE datname = current_database()
      UNION ALL
      SELECT 'default', defaclrole, aclexplode(defaclacl) FROM pg_default_acl
    )
    SELECT format('%s %s %s', CASE (acl).grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid((acl).grantee) END,
      (acl).privilege_type, object) AS privilege
    FROM held WHERE (acl).grantee <> owner ORDER BY 1`);
  return rows.map(({ privilege }) => privilege);
}

test('no role can do more than read, add, change some columns and delete as stated, and PUBLIC can do nothing', async () => {
  const privileges = await listPrivileges();
  expect(privileges.filter((privilege) => privilege.startsWith('PUBLIC'))).toEqual([]);
  const kinds = new Set(privileges.map((privilege) => privilege.split(' ')[1]));
  expect([...kinds].sort()).toEqual(['CONNECT', 'DELETE', 'EXECUTE', 'INSERT', 'SELECT', 'UPDATE', 'USAGE']);
  expect(privileges.filter((privilege) => / DELETE /.test(privilege))).toEqual([
    'agp_management DELETE agent_tokens',
    'agp_management DELETE alert_deliveries',
    'agp_management DELETE alerts',
    'agp_management DELETE api_keys',
    'agp_management DELETE billed_days',
    'agp_management DELETE budgets',
    'agp_management DELETE claimed_names',
    'agp_management DELETE console_codes',
    'agp_management DELETE console_sessions',
    'agp_management DELETE console_views',
    'agp_management DELETE exchanged_tokens',
    'agp_management DELETE identities',
    'agp_management DELETE notification_rules',
    'agp_management DELETE notification_targets',
    'agp_management DELETE policies',
    'agp_proxy DELETE exchanged_tokens',
    'agp_writer DELETE forwarded_requests',
    'agp_writer DELETE refusal_counts',
    'agp_writer DELETE unrecorded_spend',
  ]);
  expect(privileges.filter((privilege) => / UPDATE (audit_log|events)(\.|$)/.test(privilege))).toEqual([]);
});

test('the next migrate revokes every grant that is not stated, and restores missing ones', async () => {
  const before = await listPrivileges();
  await owner.query(`
    GRANT SELECT ON api_keys TO agp_proxy WITH GRANT OPTION;
    GRANT UPDATE (status) ON agents TO agp_proxy;
    GRANT DELETE ON events_default TO agp_writer;
    GRANT TRUNCATE, TRIGGER, REFERENCES ON events TO PUBLIC;
    GRANT SELECT ON audit_log TO agp_grafana;
    GRANT CREATE ON SCHEMA public TO agp_management;
    GRANT CREATE ON DATABASE ${owner.database} TO agp_management;
    GRANT TEMPORARY ON DATABASE ${owner.database} TO PUBLIC;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA reporting TO PUBLIC;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO agp_proxy;
    ALTER DEFAULT PRIVILEGES FOR ROLE agp_migrator IN SCHEMA public GRANT ALL ON TABLES TO agp_grafana;
    ALTER DEFAULT PRIVILEGES FOR ROLE agp_migrator GRANT SELECT ON TABLES TO PUBLIC;
    REVOKE INSERT ON events FROM agp_writer;
    REVOKE SELECT ON control FROM agp_proxy`);
  await clients.proxy.query('GRANT SELECT ON api_keys TO agp_writer');
  expect(await listPrivileges()).not.toEqual(before);
  expect(await run(clients.writer, 'SELECT FROM api_keys')).toBeNull();
  await migrateAgain(stack.urls);
  expect(await listPrivileges()).toEqual(before);
  expect(await run(clients.writer, 'SELECT FROM api_keys')).toBe(refused);
});

test('tables that the migrator makes later are closed to others until a privilege is stated', async () => {
  const migrator = await connect(stack.urls.migrator.databaseUrl);
  await migrator.query('CREATE TABLE made_later (id int); CREATE VIEW reporting.made_later AS SELECT 1 AS one');
  await migrator.query('CREATE FUNCTION made_later() RETURNS int LANGUAGE sql RETURN 1');
  for (const role of roles) {
    const own = role === 'grafana' ? 'SELECT FROM reporting.made_later' : 'SELECT FROM made_later';
    expect(await run(clients[role], own), role).toBe(refused);
    expect(await run(clients[role], 'SELECT public.made_later()'), role).toBe(refused);
  }
  await migrator.query('DROP TABLE made_later; DROP VIEW reporting.made_later; DROP FUNCTION made_later()');
  await migrator.end();
});
