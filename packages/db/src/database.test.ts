import { randomUUID } from 'node:crypto';
import { startTestStack } from '@agp/testing';
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
