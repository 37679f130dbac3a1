import { agentListSchema, sessionListSchema } from '@agp/core/contracts';
import type { Server } from '@agp/testing';
import { beforeAll, expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement({ ownPostgres: true, storageTimeoutMs: 2_000 });
let postgres: Server;
let agent: string;
beforeAll(async () => {
  postgres = management.postgres as Server;
  agent = await seedAgent(management.database, 'stored');
});

const requests: [string, RequestInit][] = [
  ['/api/v1/agents', {}],
  ['/api/v1/events?limit=1', {}],
  ['/api/v1/sessions/ses_x', {}],
  ['/api/v1/costs/summary', {}],
  ['/api/v1/costs/unpriced', {}],
  ['/api/v1/prices', {}],
  ['/api/v1/costs/doubtful', {}],
  ['/api/v1/budgets', {}],
  ['/api/v1/limits', {}],
  ['/api/v1/pause', {}],
  ['/api/v1/keys', {}],
  ['/api/v1/events/stream', {}],
];

async function expectUnavailable(): Promise<void> {
  await Promise.all(
    requests.map(async ([path, init]) => {
      const response = await management.call(path, init);
      expect(response.headers.get('retry-after')).toBe('1');
      await management.refuse(response, 503, 'storage unavailable');
    }),
  );
  const put = await management.send('PUT', `/api/v1/agents/${agent}`, { status: 'blocked' });
  await management.refuse(put, 503, 'storage unavailable');
}

test('Postgres stopped is 503, unready, and over when it is back, without a restart', async () => {
  await management.read('/api/v1/agents', agentListSchema);
  await postgres.stop();
  await expectUnavailable();
  const ready = () => fetch(`${management.service.opsUrl}/readyz`).then((response) => response.status);
  await expect.poll(ready).toBe(503);
  expect((await fetch(`${management.service.opsUrl}/healthz`)).status).toBe(200);
  expect((await management.call('/openapi.json')).status).toBe(200);
  await postgres.start();
  await expect.poll(() => management.call('/api/v1/agents').then((response) => response.status)).toBe(200);
  await expect.poll(ready).toBe(200);
});

test('a table that another transaction holds is 503 once its time is up, and the change was not made', async () => {
  const client = await management.database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE agents IN ACCESS EXCLUSIVE MODE');
    const response = await management.send('PUT', `/api/v1/agents/${agent}`, { status: 'retired' });
    await management.refuse(response, 503, 'storage unavailable');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  const agents = await management.read('/api/v1/agents', agentListSchema);
  expect(agents.map(({ status }) => status)).toEqual(['active']);
});

test('a list that cannot be finished breaks off instead of looking complete', async () => {
  const { pool } = management.database;
  await pool.query(`
    INSERT INTO sessions (id, agent_id, started_at, ended_at, event_count, compliance_tag)
    SELECT 'ses_' || i || repeat('x', 50), (SELECT id FROM agents), t, t, 1, 'default'
    FROM generate_series(1, 30000) i, LATERAL (SELECT timestamptz '2026-01-01Z' + i * interval '1 ms') AS at (t)`);
  expect(await management.read('/api/v1/sessions', sessionListSchema)).toHaveLength(30_000);
  const response = await management.call('/api/v1/sessions');
  expect(response.status).toBe(200);
  await pool.query('ALTER TABLE sessions RENAME TO sessions_away');
  await expect(response.text()).rejects.toThrow();
  await pool.query('ALTER TABLE sessions_away RENAME TO sessions');
});

test('Postgres that hangs is 503 within seconds, and over when it goes on', async () => {
  postgres.pause();
  try {
    const response = await management.call('/api/v1/agents');
    await management.refuse(response, 503, 'storage unavailable');
  } finally {
    postgres.resume();
  }
  await expect.poll(() => management.call('/api/v1/agents').then((response) => response.status)).toBe(200);
});
