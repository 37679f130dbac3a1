import { randomUUIDv7 } from 'node:crypto';
import { startTestStack } from '@agp/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { markQuarantineReplayed, quarantineMessages } from './quarantine.ts';
import { readCapUse } from './spend.ts';
import { readRecordingHealth } from './status.ts';
import { addUnrecordedSpend } from './unrecorded.ts';

let admin: Database;
let writer: Database;
let management: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  const open = (url: string) => openDatabase({ url, applicationName: 'gauges-test', maxConnections: 1 });
  admin = open(stack.databaseUrl);
  writer = open(stack.urls.writer.databaseUrl);
  management = open(stack.urls.management.databaseUrl);
  return async () => {
    await Promise.all([admin.close(), writer.close(), management.close()]);
    await stack[Symbol.asyncDispose]();
  };
});

test('agents near and at their cap are counted: active ones whose cap is above 0', async () => {
  expect(await readCapUse(management.db, 0.8)).toEqual({ agents_near: 0, agents_at: 0, global_ratio: null });
  await admin.pool.query('UPDATE control SET global_cap_usd = 20');
  const day = new Date().toISOString().slice(0, 10);
  const agents: [name: string, status: string, cap: number | null, spentNanoUsd: number][] = [
    ['far', 'active', 1, 799_999_999],
    ['near', 'active', 1, 800_000_000],
    ['at', 'active', 1, 1_000_000_000],
    ['over', 'active', 1, 2_000_000_000],
    ['stopped by its cap', 'active', 0, 0],
    ['without a cap', 'active', null, 400_000_000],
    ['retired', 'retired', 1, 1_000_000_000],
    ['blocked', 'blocked', 1, 1_000_000_000],
  ];
  for (const [name, status, cap, costNanoUsd] of agents) {
    const agentId = randomUUIDv7();
    await admin.pool.query(
      `INSERT INTO agents (id, name, status, source_ip, daily_cap_usd) VALUES ($1, $2, $3, '10.0.0.1', $4)`,
      [agentId, name, status, cap],
    );
    await addUnrecordedSpend(admin.pool, [
      { eventId: randomUUIDv7(), agentId, day, costNanoUsd, reason: 'lost', request: null },
    ]);
  }
  const use = await readCapUse(management.db, 0.8);
  expect(use).toMatchObject({ agents_near: 3, agents_at: 2 });
  expect(use.global_ratio).toBeCloseTo(6.999999999 / 20, 9);
});

test('messages that were set aside wait until they are replayed, and refusals until they are sealed', async () => {
  const before = await readRecordingHealth(writer.db);
  expect(before).toMatchObject({ quarantine_waiting: 0, oldest_unsealed_refusals: null, default_partition_events: 0 });
  expect(before.partitions_end?.getTime()).toBeGreaterThan(Date.now() + 8 * 7 * 86_400_000);
  const rows = ['one', 'two'].map((messageId) => ({
    messageId,
    code: 'not_json',
    reason: 'the text is not JSON',
    bytes: Buffer.from(messageId),
  }));
  await quarantineMessages(writer.db, rows);
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  await admin.pool.query(
    `INSERT INTO refusal_counts (minute, reason, count, source_ip, refused_at) VALUES ($1, 'paused', 1, '10.0.0.1', $1)`,
    [minute],
  );
  expect(await readRecordingHealth(writer.db)).toMatchObject({
    quarantine_waiting: 2,
    oldest_unsealed_refusals: minute,
  });
  const { rows: set } = await admin.pool.query<{ id: number }>('SELECT min(id) AS id FROM quarantine');
  await markQuarantineReplayed(writer.db, Number(set[0]?.id));
  expect(await readRecordingHealth(writer.db)).toMatchObject({ quarantine_waiting: 1 });
});
