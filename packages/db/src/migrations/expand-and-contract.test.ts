import { startTestStack } from '@agp/testing';
import { Migrator } from 'kysely/migration';
import { beforeAll, expect, test } from 'vitest';
import { findContractions, readShape } from '../../test/find-contractions.ts';
import { type Database, openDatabase } from '../database.ts';
import { migrationProvider } from './index.ts';

/** From here on each migration must leave the version before it running. */
const lastUnruled = '0001-baseline';

/**
 * Migrations that remove something on purpose, once no version that uses it can run at the same time: the migration, the output of
 * `findContractions`, and the last version that used what is removed.
 */
const contractSteps: Record<string, { lastUsedBy: string; contractions: string[] }> = {};

let database: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  database = openDatabase({ url: stack.databaseUrl, applicationName: 'test', maxConnections: 1 });
  return async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

test('no migration takes anything from the version before it, unless it is a contract step', async () => {
  await database.pool.query(
    'DROP SCHEMA IF EXISTS reporting CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public',
  );
  const migrator = new Migrator({ db: database.db, provider: migrationProvider });
  const names = Object.keys(await migrationProvider.getMigrations()).sort();
  const ruled = names.slice(names.indexOf(lastUnruled) + 1);
  const taken: Record<string, string[]> = {};
  expect((await migrator.migrateTo(lastUnruled)).error).toBeUndefined();
  for (const name of ruled) {
    const before = await readShape(database.db);
    expect((await migrator.migrateTo(name)).error).toBeUndefined();
    const contractions = findContractions(before, await readShape(database.db));
    if (contractions.length > 0) taken[name] = contractions;
  }
  const allowed = Object.entries(contractSteps).map(([name, { contractions }]) => [name, contractions]);
  expect(taken).toEqual(Object.fromEntries(allowed));
});

test.each([
  ['DROP TABLE claimed_bills', 'public.claimed_bills is gone'],
  ['ALTER TABLE agents RENAME TO actors', 'public.agents is gone'],
  ['ALTER TABLE api_keys DROP COLUMN last_used_at', 'public.api_keys.last_used_at is gone'],
  ['ALTER TABLE api_keys RENAME COLUMN scopes TO rights', 'public.api_keys.scopes is gone'],
  [
    'ALTER TABLE events ALTER COLUMN payload TYPE varchar(64)',
    'public.events.payload is character varying(64), was text',
  ],
  ['ALTER TABLE sessions ALTER COLUMN compliance_tag SET NOT NULL', 'public.sessions.compliance_tag must be given'],
  ['ALTER TABLE agents ALTER COLUMN status DROP DEFAULT', 'public.agents.status lost its default'],
  ['ALTER TABLE events ADD COLUMN region text NOT NULL', 'public.events.region is new and must be given'],
  ['ALTER TABLE agents ADD CHECK (length(name) < 64)', 'public.agents got CHECK ((length(name) < 64))'],
  ['CREATE UNIQUE INDEX ON agent_tokens (agent_name)', 'public.agent_tokens got unique USING btree (agent_name)'],
  ['DROP INDEX quarantine_once', 'public.quarantine lost unique USING btree (message_id, sha256(bytes))'],
  ['DROP VIEW reporting.active_agents', 'reporting.active_agents is gone'],
])('a planted "%s" is found', async (statement, contraction) => {
  const before = await readShape(database.db);
  await database.pool.query(`BEGIN; ${statement}`);
  try {
    expect(findContractions(before, await readShape(database.db))).toContain(contraction);
  } finally {
    await database.pool.query('ROLLBACK');
  }
});

test.each([
  'ALTER TABLE agents ADD COLUMN note text',
  "ALTER TABLE events ADD COLUMN region text NOT NULL DEFAULT 'eu'",
  'CREATE TABLE later (id integer PRIMARY KEY)',
  'CREATE INDEX ON agents (source_ip)',
  'DROP INDEX events_by_tag',
  'ALTER TABLE agents ALTER COLUMN source_ip DROP NOT NULL',
])('"%s" takes nothing', async (statement) => {
  const before = await readShape(database.db);
  await database.pool.query(`BEGIN; ${statement}`);
  try {
    expect(findContractions(before, await readShape(database.db))).toEqual([]);
  } finally {
    await database.pool.query('ROLLBACK');
  }
});
