import { randomUUID } from 'node:crypto';
import { startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { readAdmissions } from './queries/admission/read-admissions.ts';
import { registerAgent } from './queries/agents/register-agent.ts';

test('a statement that goes by keys is planned once, and by its keys also when tables have grown since', async () => {
  await using stack = await startTestStack();
  const database = openDatabase({
    url: stack.databaseUrl,
    applicationName: 'test',
    maxConnections: 1,
    byKeysAlone: true,
  });
  const { pool } = database;
  const agent = { id: randomUUID(), name: 'planned', sourceIp: '127.0.0.1', tokenId: null };
  await registerAgent(pool, agent);
  const keys = [{ agentId: agent.id, tokenId: null, sessionId: null }];
  for (let times = 0; times < 10; times += 1) expect(await readAdmissions(pool, keys)).toHaveLength(1);
  const { rows: plans } = await pool.query<{ generic_plans: number; custom_plans: number }>(
    `SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'read-admissions'`,
  );
  expect(plans).toEqual([{ generic_plans: 10, custom_plans: 0 }]);
  await pool.query(
    `INSERT INTO claimed_names (name) SELECT 'other-' || number FROM generate_series(1, 5000) AS number`,
  );
  const { rows: plan } = await pool.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN EXECUTE "read-admissions" (ARRAY['${agent.id}']::uuid[], ARRAY[NULL]::uuid[], ARRAY[NULL]::text[])`,
  );
  const scanned = plan.map((row) => /Seq Scan on (\w+)/.exec(row['QUERY PLAN'])?.[1]).filter(Boolean);
  // It has one row.
  expect(scanned).toEqual(['control']);
  await database.close();
});
