import { randomUUID } from 'node:crypto';
import { runSql, startTestStack } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './database.ts';
import { readAdmissions } from './queries/admission.ts';
import { registerAgent } from './queries/agent-registration.ts';

test('admission is planned once, and by its keys, whether tables were empty then or have grown since', async () => {
  const stack = await startTestStack();
  const { pool, close } = openDatabase({
    url: stack.databaseUrl,
    applicationName: 'test',
    maxConnections: 1,
    usesIndexesOnly: true,
  });
  onTestFinished(async () => {
    await close();
    await stack[Symbol.asyncDispose]();
  });
  const agent = { id: randomUUID(), name: 'planned', sourceIp: '127.0.0.1', tokenId: null };
  await registerAgent(pool, agent);
  const keys = [{ agentId: agent.id, tokenId: null, claim: null, sessionId: null }];
  const readPlan = async () => {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN EXECUTE "read-admissions" (ARRAY['${agent.id}']::uuid[], ARRAY[NULL]::uuid[], ARRAY[NULL]::text[], ARRAY[NULL]::jsonb[])`,
    );
    return rows.map((row) => row['QUERY PLAN']);
  };
  const expectKeys = (plan: readonly string[]) => {
    const text = plan.join('\n');
    // That one has one row.
    expect([...text.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table)).toEqual(['control']);
    expect(text).not.toContain('hashed');
    expect(text.match(/Index (?:Only )?Scan/g)?.length).toBe(text.match(/Index Cond/g)?.length);
  };
  for (let times = 0; times < 10; times += 1) expect(await readAdmissions(pool, keys)).toHaveLength(1);
  const { rows: plans } = await pool.query<{ generic_plans: number; custom_plans: number }>(
    `SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'read-admissions'`,
  );
  expect(plans).toEqual([{ generic_plans: 10, custom_plans: 0 }]);
  expectKeys(await readPlan());
  await pool.query(`INSERT INTO claimed_names (name) SELECT 'other-' || number FROM generate_series(1, 500) AS number`);
  expectKeys(await readPlan());
  await pool.query('VACUUM ANALYZE claimed_names');
  expectKeys(await readPlan());
});

test('of two logins the one that works is used, and nobody who asks for a connection hears of the other', async () => {
  await using stack = await startTestStack({ ownPostgres: true });
  const old = stack.urls.proxy.databaseUrl;
  const next = Object.assign(new URL(old), { password: 'next' }).href;
  const setPassword = (url: string) =>
    runSql(stack.postgres.url, `ALTER ROLE agp_proxy PASSWORD '${new URL(url).password}'`);
  await setPassword(old);
  let text = `${old}?options=-c%20geqo%3Doff`;
  await using opened = new AsyncDisposableStack();
  const open = (maxConnections: number) => {
    const { pool, close } = openDatabase({ url: () => text, applicationName: 'test', maxConnections });
    opened.defer(close);
    return { pool, all: () => Promise.all(Array.from({ length: maxConnections }, () => pool.query('SHOW geqo'))) };
  };
  const kept = open(1);
  expect((await kept.all()).map(({ rows }) => rows[0].geqo)).toEqual(['off']);
  text = `${old}\n${next}`;
  const first = open(4);
  await first.all();
  await setPassword(next);
  // What is open stays, and each that is new finds its login.
  await Promise.all([kept.all(), open(4).all(), open(4).all()]);
  text = next;
  await open(2).all();
  text = old;
  const { pool } = open(1);
  await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  await kept.all();
});
