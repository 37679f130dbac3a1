import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { recordEvents } from './record-events.ts';

test('small batches do not have every statement planned anew', async () => {
  const stack = await startTestStack();
  const { pool, close } = openDatabase({
    url: stack.databaseUrl,
    applicationName: 'test',
    maxConnections: 1,
    pipeline: true,
  });
  onTestFinished(async () => {
    await close();
    await stack[Symbol.asyncDispose]();
  });
  for (let times = 0; times < 8; times += 1) await recordEvents(pool, [makeEvent()]);
  const { rows } = await pool.query<{ name: string; custom_plans: number }>(
    'SELECT name, custom_plans FROM pg_prepared_statements',
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ custom_plans }) => custom_plans > 0)).toEqual([]);
});
