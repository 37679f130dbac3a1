import { randomUUIDv7 } from 'node:crypto';
import { addUnrecordedSpend, openDatabase } from '@agp/db';
import { startTestStack } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createStorage } from './storage.ts';

test('what many lost events write leaves the connections to requests', async () => {
  const stack = await startTestStack();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'storage-test' });
  onTestFinished(() => database.close());
  const { pool } = database;
  const storage = createStorage(pool, () => {});
  const agentId = randomUUIDv7();
  const lost = Array.from({ length: 2 * pool.options.max }, () => ({
    ...{ eventId: randomUUIDv7(), day: '2026-03-01', agentId, costNanoUsd: 1 },
    ...{ request: null, charges: null, reason: 'lost' as const },
  }));
  const client = await pool.connect();
  await client.query('BEGIN');
  // Another that adds the same rows waits for this one.
  await addUnrecordedSpend(client, lost);
  const added = Promise.all(lost.map(storage.addUnrecordedSpend));
  try {
    expect(await storage.findAgentId('nobody', performance.now() + 5_000)).toBeNull();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await added;
  const { rows } = await pool.query('SELECT FROM unrecorded_spend WHERE agent_id = $1', [agentId]);
  expect(rows).toHaveLength(lost.length);
});
