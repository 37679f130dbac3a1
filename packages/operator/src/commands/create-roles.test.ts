import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, runCommandWithin, startBlankPostgres, startTestStack } from '@agp/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { defaultPlaces } from '../secrets/list-secrets.ts';
import { completeSecrets } from '../secrets/secrets-folder.ts';

const passwords = {
  AGP_MIGRATOR_PASSWORD: randomUUID(),
  AGP_PROXY_PASSWORD: randomUUID(),
  AGP_WRITER_PASSWORD: randomUUID(),
  AGP_MANAGEMENT_PASSWORD: randomUUID(),
  AGP_GRAFANA_PASSWORD: randomUUID(),
};

const fileOf = (command: string) => join(import.meta.dirname, `${command}.ts`);
const run = (command: string, env: Record<string, string>) => runCommandWithin(fileOf(command), [], env);

async function runWell(command: string, env: Record<string, string>): Promise<void> {
  expect(await run(command, env)).toMatchObject({ status: 0, stderr: '' });
}

function runWellAsProcess(command: string, env: Record<string, string>): void {
  const done = spawnSync(process.execPath, [fileOf(command)], { encoding: 'utf8', env: childEnvironment(env) });
  expect(done).toMatchObject({ status: 0, stderr: '' });
}

const as = (url: string, username: string, password: string) =>
  Object.assign(new URL(url), { username, password }).href;

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Everything of ours that the migrator does not own. */
const foreign = `
  SELECT relname AS name FROM pg_class
  WHERE relnamespace::regnamespace::text IN ('public', 'reporting') AND relowner <> 'agp_migrator'::regrole
  UNION ALL SELECT proname FROM pg_proc
  WHERE pronamespace::regnamespace::text IN ('public', 'reporting') AND proowner <> 'agp_migrator'::regrole
  UNION ALL SELECT datname FROM pg_database
  WHERE datname = current_database() AND datdba <> 'agp_migrator'::regrole`;

function writeSecret(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'secret'), `${text}\n`);
  return join(folder, 'secret');
}

test('it reads everything from files, as in a container, and then nobody else can connect to the database', async () => {
  await using servers = await startBlankPostgres();
  const url = Object.assign(new URL(servers.databaseUrl), { pathname: '/fresh' }).href;
  await query(servers.databaseUrl, 'CREATE ROLE somebody LOGIN PASSWORD $$secret$$');
  const variables = Object.entries({ DATABASE_URL: url, ...passwords });
  runWellAsProcess(
    'create-roles',
    Object.fromEntries(variables.map(([name, text]) => [`${name}_FILE`, writeSecret(text)])),
  );
  const migrator = as(url, 'agp_migrator', passwords.AGP_MIGRATOR_PASSWORD);
  runWellAsProcess('migrate', { DATABASE_URL: migrator });
  runWellAsProcess('maintain', { DATABASE_URL: migrator });
  expect(await query(url, foreign)).toEqual([]);
  await expect(query(as(url, 'somebody', 'secret'), 'SELECT 1')).rejects.toMatchObject({ code: '42501' });
});

test('it takes the passwords of a folder that npm run secrets made, and names the one that is not there', async () => {
  await using servers = await startBlankPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'agp-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  completeSecrets(folder, defaultPlaces);
  const url = Object.assign(new URL(servers.databaseUrl), { pathname: '/agp' }).href;
  const give = (...args: string[]) => runCommandWithin(fileOf('create-roles'), args, { DATABASE_URL: url });
  expect(await give('--folder', folder)).toMatchObject({ status: 0, stderr: '' });
  const proxy = as(url, 'agp_proxy', readFileSync(join(folder, 'admin/proxy-password'), 'utf8').trim());
  expect(await query(proxy, 'SELECT current_user AS who')).toEqual([{ who: 'agp_proxy' }]);
  rmSync(join(folder, 'admin/writer-password'));
  expect(await give('--folder', folder)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('admin/writer-password is not there'),
  });
});

test('an installation of a single user is handed over with its data; that user keeps access until it is revoked', async () => {
  await using servers = await startBlankPostgres();
  await query(servers.databaseUrl, "CREATE ROLE app LOGIN PASSWORD 'app-password'");
  await query(servers.databaseUrl, 'CREATE DATABASE older OWNER app');
  const url = Object.assign(new URL(servers.databaseUrl), { pathname: '/older' }).href;
  const app = as(url, 'app', 'app-password');
  await runWell('migrate', { DATABASE_URL: app });
  await query(app, "INSERT INTO quarantine (code, reason, bytes) VALUES ('kept', '', '')");
  const told = await run('create-roles', { DATABASE_URL: url, ...passwords });
  expect(told).toMatchObject({ status: 0, stderr: '' });
  expect(told.stdout).toContain('REVOKE agp_migrator FROM app');
  await runWell('migrate', { DATABASE_URL: as(url, 'agp_migrator', passwords.AGP_MIGRATOR_PASSWORD) });
  expect(await query(url, foreign)).toEqual([]);
  const writer = as(url, 'agp_writer', passwords.AGP_WRITER_PASSWORD);
  expect(await query(writer, 'SELECT code FROM quarantine')).toEqual([{ code: 'kept' }]);
  expect(await query(app, 'SELECT count(*)::int AS n FROM events')).toEqual([{ n: 0 }]);
  await query(url, 'REVOKE agp_migrator FROM app');
  await expect(query(app, 'SELECT')).rejects.toMatchObject({ code: '42501' });
});

test('it makes a missing database; run again, it sets a new password and revokes rights that a role has gained', async () => {
  await using stack = await startTestStack({ ownPostgres: true });
  const url = Object.assign(new URL(stack.databaseUrl), { pathname: '/made "here"' }).href;
  await runWell('create-roles', { DATABASE_URL: url, ...passwords });
  const proxy = as(url, 'agp_proxy', passwords.AGP_PROXY_PASSWORD);
  expect(await query(proxy, 'SELECT current_user AS name')).toEqual([{ name: 'agp_proxy' }]);
  expect(await query(url, foreign)).toEqual([]);

  await query(url, 'ALTER ROLE agp_proxy SUPERUSER CREATEDB NOLOGIN; GRANT pg_read_all_data, agp_writer TO agp_proxy');
  await runWell('create-roles', { DATABASE_URL: url, AGP_PROXY_PASSWORD: 'another-one' });
  await expect(query(proxy, 'SELECT')).rejects.toMatchObject({ code: '28P01' });
  const attributes = `
    SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS strong, rolcanlogin,
      (SELECT count(*)::int FROM pg_auth_members WHERE member = pg_roles.oid) AS groups
    FROM pg_roles WHERE rolname = current_user`;
  const renewed = as(url, 'agp_proxy', 'another-one');
  expect(await query(renewed, attributes)).toEqual([{ strong: false, rolcanlogin: true, groups: 0 }]);
  const writer = as(url, 'agp_writer', passwords.AGP_WRITER_PASSWORD);
  expect(await query(writer, 'SELECT current_user AS name')).toEqual([{ name: 'agp_writer' }]);
  const stored = await query(url, "SELECT rolpassword FROM pg_authid WHERE rolcanlogin AND rolname LIKE 'agp\\_%'");
  for (const { rolpassword } of stored) expect(rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/);
});

test('an administrator without superuser rights, as on managed servers, can run it', async () => {
  await using servers = await startBlankPostgres();
  await query(servers.databaseUrl, "CREATE ROLE manager LOGIN CREATEROLE CREATEDB PASSWORD 'manager-password'");
  const managed = Object.assign(new URL(servers.databaseUrl), { pathname: '/managed' });
  const url = as(managed.href, 'manager', 'manager-password');
  const done = await run('create-roles', { DATABASE_URL: url, ...passwords });
  expect(done).toMatchObject({ status: 0, stderr: '' });
  const migrator = as(url, 'agp_migrator', passwords.AGP_MIGRATOR_PASSWORD);
  await runWell('migrate', { DATABASE_URL: migrator });
  await runWell('create-roles', { DATABASE_URL: url, ...passwords });
  // It prints the statement for the rights that only a superuser can revoke.
  const [, revoke = ''] = /(REVOKE EXECUTE ON FUNCTION .*)/.exec(done.stdout) ?? [];
  const writer = as(url, 'agp_writer', passwords.AGP_WRITER_PASSWORD);
  await query(writer, 'SELECT lo_unlink(lo_create(0))');
  await query(managed.href, revoke);
  await expect(query(writer, 'SELECT lo_create(0)')).rejects.toMatchObject({ code: '42501' });
  expect((await run('create-roles', { DATABASE_URL: url, ...passwords })).stdout).not.toContain('REVOKE');
  const grafana = as(url, 'agp_grafana', passwords.AGP_GRAFANA_PASSWORD);
  expect(await query(grafana, 'SELECT count(*)::int AS n FROM reporting.agents')).toEqual([{ n: 0 }]);
});

test('it names a variable that is missing, unreadable or not usable as a password, and makes nothing', async () => {
  await using servers = await startBlankPostgres();
  const DATABASE_URL = servers.databaseUrl;
  const { AGP_GRAFANA_PASSWORD: _, ...rest } = passwords;
  expect(await run('create-roles', { DATABASE_URL, ...rest })).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^AGP_GRAFANA_PASSWORD is not set: .*agp_grafana.*\n$/),
  });
  for (const [name, value] of [
    ['AGP_GRAFANA_PASSWORD', 'pässword'],
    ['AGP_GRAFANA_PASSWORD', 'two words'],
    ['DATABASE_URL_FILE', '/nowhere/at/all'],
  ] as const) {
    const failed = await run('create-roles', { DATABASE_URL, ...rest, [name]: value });
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toMatch(new RegExp(`^${name}: .*\n$`));
    expect(failed.stderr).not.toContain('pässword');
  }
  expect(await query(DATABASE_URL, "SELECT FROM pg_roles WHERE rolname LIKE 'agp\\_%'")).toEqual([]);
});
