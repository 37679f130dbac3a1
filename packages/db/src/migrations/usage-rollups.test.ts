import { startTestStack } from '@agp/testing';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { listAgentCosts, summarizeCosts } from '../queries/agent-usage.ts';
import { isUsageFilled } from '../queries/usage.ts';
import { migrationProvider } from './index.ts';

const [one, other] = ['0199a8c7-5d3e-7000-8000-00000000000a', '0199a8c7-5d3e-7000-8000-00000000000b'];

test('sums of all time are whole as soon as a service sees the migration, and hours that are not filled are known', async () => {
  await using stack = await startTestStack();
  const { db, pool, close } = openDatabase({ url: stack.databaseUrl, applicationName: 'test', maxConnections: 2 });
  try {
    await pool.query('DROP SCHEMA IF EXISTS reporting CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const migrator = new Migrator({ db, provider: migrationProvider });
    expect((await migrator.migrateTo('0012-failures')).error).toBeUndefined();
    await pool.query(`
      INSERT INTO agents (id, name, source_ip) VALUES ('${one}', 'one', '::1'), ('${other}', 'other', '::1');
      INSERT INTO daily_usage
        (day, agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at, last_event_at)
      SELECT '2026-03-01'::date + at % 3, CASE WHEN at < 2200 THEN '${one}' ELSE '${other}' END::uuid, 'model ' || at / 2,
        2, 3, 0.1, 1, 1, '2026-03-01', '2026-03-03'
      FROM generate_series(0, 2399) AS at`);
    expect((await migrator.migrateToLatest()).error).toBeUndefined();
    expect(await summarizeCosts(db)).toMatchObject({ total_cost_usd: 240, total_tokens: 12_000, agent_count: 2 });
    const costs = await listAgentCosts(db);
    expect(costs.map(({ request_count, models_used }) => [request_count, models_used.length])).toEqual([
      [2_200, 1_000],
      [200, 100],
    ]);
    const filled = (from: string) => isUsageFilled(db, { groups: ['provider'], from: new Date(from) });
    expect([await filled('2026-03-03T23:00:00Z'), await filled('2026-03-04')]).toEqual([false, true]);
    expect(await isUsageFilled(db, { groups: ['model'] })).toBe(true);
  } finally {
    await close();
  }
});
