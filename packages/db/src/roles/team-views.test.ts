import { randomUUID } from 'node:crypto';
import { startTestStack } from '@agp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { OutOfTeamError, openGuardedDatabase, shareDatabase } from '../guarded-database.ts';
import { servesTeams } from './team-views.ts';

let stack: Awaited<ReturnType<typeof startTestStack>>;
let [owner, team] = [null, null] as unknown as [Database, Database];
const ids = { search: randomUUID(), ads: randomUUID() };
beforeAll(async () => {
  stack = await startTestStack();
  owner = openDatabase({ url: stack.databaseUrl, applicationName: 'owner', maxConnections: 1 });
  const url = stack.urls.management.databaseUrl;
  team = openGuardedDatabase({ url, applicationName: 'team', maxConnections: 1, ofTeam: true });
  for (const [name, id] of Object.entries(ids))
    await owner.pool.query('INSERT INTO agents (id, name, source_ip, metadata) VALUES ($1, $2, $3, $4)', [
      ...[id, `agent of ${name}`, '10.0.0.1'],
      { team: name },
    ]);
});
afterAll(async () => {
  await team?.close();
  await owner?.close();
  await stack?.[Symbol.asyncDispose]();
});

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: pg.DatabaseError) => error.code,
  );

test('a connection without a team sees nothing, and none reaches the tables or another role', async () => {
  expect(await codeOf(team.pool.query('SELECT * FROM agents'))).toBe('42704');
  await team.pool.query(`SELECT set_config('agp.team', '{"team":"search"}', false)`);
  expect((await team.pool.query('SELECT name FROM agents')).rows).toEqual([{ name: 'agent of search' }]);
  for (const refused of [
    ...['SELECT * FROM public.agents', 'SELECT * FROM public.events', 'SELECT * FROM reporting.agents'],
    ...['SELECT * FROM reporting.budgets_today', 'SELECT secret_sha256 FROM agent_tokens'],
    ...['UPDATE agents SET name = $$mine$$', 'DELETE FROM agents', 'UPDATE control SET paused = true'],
    ...['UPDATE audit_log SET payload = payload', 'DELETE FROM audit_log', 'UPDATE events SET cost_usd = 0'],
    ...['SET ROLE agp_migrator', 'CREATE TABLE agp_team.mine ()', 'CREATE VIEW mine AS SELECT 1'],
  ])
    expect(await codeOf(team.pool.query(refused)), refused).toMatch(/^(42501|42P01|3F000)$/);
});

test('the connections of one pool serve one team after the other, and never two', async () => {
  const teamsOf = shareDatabase(team, { connections: 1, waiting: 100, waitMs: 60_000 });
  const asks = Array.from({ length: 50 }, (_, index) =>
    index % 3 === 0 ? 'ads' : index % 2 === 0 ? 'search' : 'none',
  );
  const answers = await Promise.all(
    asks.map((name) => teamsOf(`key of ${name}`, { team: name }).selectFrom('agents').select('id').execute()),
  );
  expect(answers.map((rows) => rows.map(({ id }) => id))).toEqual(
    asks.map((name) => (name === 'none' ? [] : [ids[name as keyof typeof ids]])),
  );
});

test('options in the URL do not take its place', async () => {
  const url = `${stack.urls.management.databaseUrl}?options=${encodeURIComponent('-c lock_timeout=5000')}`;
  const own = openGuardedDatabase({ url, applicationName: 'team', maxConnections: 1, ofTeam: true });
  const { rows } = await own.pool.query(`SELECT current_user AS role, current_setting('lock_timeout') AS waits`);
  expect(rows).toEqual([{ role: 'agp_team', waits: '5s' }]);
  await own.close();
  const other = openGuardedDatabase({ url, applicationName: 'other', maxConnections: 1 });
  const refused = shareDatabase(other, { connections: 1, waiting: 1, waitMs: 60_000 })('key', { team: 'search' });
  await expect(refused.selectFrom('agents').select('id').execute()).rejects.toMatchObject({
    code: 'storage_unavailable',
  });
  await other.close();
});

test('an agent that would leave its team stays as it is', async () => {
  const db = shareDatabase(team, { connections: 1, waiting: 1, waitMs: 60_000 })('key', { team: 'search' });
  const leave = db.updateTable('agents').set({ metadata: '{"team":"ads"}' }).where('id', '=', ids.search).execute();
  await expect(leave).rejects.toBeInstanceOf(OutOfTeamError);
  const { numUpdatedRows } = await db
    .updateTable('agents')
    .set({ status: 'blocked' })
    .where('id', '=', ids.ads)
    .executeTakeFirst();
  expect(numUpdatedRows).toBe(0n);
});

test('every table that tells of agents is one of which a team sees its part, or none', async () => {
  const { rows } = await owner.pool.query<{ name: string }>(`
    SELECT DISTINCT table_name AS name FROM information_schema.columns AS shown
    WHERE table_schema = 'public' AND column_name IN ('agent_id', 'agent_name', 'session_id') AND table_name !~ '^events_'
      AND NOT EXISTS (SELECT FROM pg_views WHERE schemaname = 'agp_team' AND viewname = shown.table_name)
    ORDER BY 1`);
  // Only services read them.
  expect(rows.map(({ name }) => name)).toEqual(['forwarded_requests', 'seen_names']);
  expect(await servesTeams(owner.db)).toBe(true);
});
