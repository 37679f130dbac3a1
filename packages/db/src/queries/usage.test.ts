import { startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { listUsage } from './usage.ts';

test('every group comes once in its place, and a range that is not read by time is read again for few pages', async () => {
  await using stack = await startTestStack();
  const { db, pool, close } = openDatabase({ url: stack.databaseUrl, applicationName: 'test', maxConnections: 1 });
  try {
    await pool.query(`
      INSERT INTO hourly_usage
      SELECT make_timestamptz(2026, 3, 1 + at % 2, 5, 0, 0, 'UTC'), '0199a8c7-5d3e-7000-8000-00000000000a', 'model ' || at / 2, 'openai',
        'default', 2, 3, 0.1, 1, 1
      FROM generate_series(0, 23999) AS at`);
    const read = (groups: Parameters<typeof listUsage>[1]['groups']) => Array.fromAsync(listUsage(db, { groups }));
    const pages = await read(['model', 'provider']);
    expect(pages.map((rows) => rows.length)).toEqual([10_000, 2_000]);
    const models = pages.flat().map(({ model }) => model);
    expect(models).toEqual(Array.from({ length: 12_000 }, (_, at) => `model ${at}`).sort());
    expect(new Set(pages.flat().map(({ total_cost_usd }) => total_cost_usd))).toEqual(new Set([0.2]));
    const days = (await read(['day', 'model', 'tag'])).flat();
    expect(days.map(({ day, model }) => `${day} ${model}`)).toEqual(
      ['2026-03-01', '2026-03-02'].flatMap((day) => models.map((model) => `${day} ${model}`)),
    );
  } finally {
    await close();
  }
});
