import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createdApiKeySchema } from '@agp/core/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStream } from './support/open-stream.ts';
import { seedAgent } from './support/seed.ts';
import { startTestManagement, type TestManagement } from './support/start-test-management.ts';

const maxStreamsPerKey = 5;
let management: TestManagement;
let greedy: RequestInit;
let modest: RequestInit;

async function makeReader(name: string): Promise<RequestInit> {
  const answer = await management.send('POST', '/api/v1/keys', { name, scopes: ['read'] });
  const { secret } = createdApiKeySchema.parse(await answer.json());
  return { headers: { authorization: `Bearer ${secret}` } };
}

beforeAll(async () => {
  management = await startTestManagement({ maxStreamsPerKey });
  [greedy, modest] = await Promise.all([makeReader('greedy'), makeReader('modest')]);
});
afterAll(() => management?.[Symbol.asyncDispose]());

test('one key opens as many live streams as it may, and no more until one has ended; others still get theirs', async () => {
  await using opened = new AsyncDisposableStack();
  for (let count = 0; count < maxStreamsPerKey; count += 1) {
    const client = opened.use(await openStream(management, '', greedy));
    expect(client.response.status).toBe(200);
  }
  const refused = await management.call('/api/v1/events/stream', greedy);
  expect(refused.headers.get('retry-after')).toBe('5');
  await management.refuse(refused, 429, 'too many open streams of this key');
  const other = opened.use(await openStream(management, '', modest));
  expect(other.response.status).toBe(200);
  await opened.disposeAsync();
  await expect
    .poll(async () => {
      await using again = await openStream(management, '', greedy);
      return again.response.status;
    })
    .toBe(200);
});

test('a block works, and others read, while one key holds as many slow reads as it can get', async () => {
  const agentId = await seedAgent(management.database, randomUUIDv7());
  const { pool } = management.database;
  const locker = await pool.connect();
  // As slow as a query can be made: it waits until the lock is given back, or its time is up.
  await locker.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
  const reads = Array.from({ length: 130 }, () => management.call('/api/v1/events?offset=1000000', greedy));
  try {
    const first = await Promise.race(reads);
    await management.refuse(first, 429, 'too many reads at once with this key');
    expect(first.headers.get('retry-after')).toBe('1');
    const blocked = await management.send('PUT', `/api/v1/agents/${agentId}`, { status: 'blocked' });
    expect(await blocked.json()).toMatchObject({ status: 'blocked' });
    expect((await management.call('/api/v1/agents', modest)).status).toBe(200);
    // Its own further reads wait behind the two that hang; if this took long, one may have been given up.
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agp-management' AND state = 'active' AND wait_event_type = 'Lock'`,
    );
    expect(rows.length).toBeLessThanOrEqual(2);
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  const statuses = new Set((await Promise.all(reads)).map(({ status }) => status));
  expect([...statuses].every((status) => [200, 429, 503].includes(status))).toBe(true);
  await expect.poll(async () => (await management.call('/api/v1/events', greedy)).status).toBe(200);
});

test('a block works while keys together hold every connection that lists have', async () => {
  const agentId = await seedAgent(management.database, randomUUIDv7());
  const readers = await Promise.all(['one', 'two', 'three'].map(makeReader));
  const { pool } = management.database;
  const locker = await pool.connect();
  await locker.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
  const reads = readers.flatMap((reader) =>
    Array.from({ length: 33 }, () => management.call('/api/v1/events', reader)),
  );
  try {
    const countHanging = async () => {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agp-management' AND wait_event_type = 'Lock'`,
      );
      return rows[0]?.count;
    };
    await expect.poll(countHanging).toBe(5);
    const blocked = await management.send('PUT', `/api/v1/agents/${agentId}`, { status: 'blocked' });
    expect(await blocked.json()).toMatchObject({ status: 'blocked' });
    // Where this took long, lists have given up, and what they asked hangs on until Postgres' own limit.
    expect(await countHanging()).toBeGreaterThanOrEqual(5);
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  const statuses = (await Promise.all(reads)).map(({ status }) => status);
  expect(statuses.every((status) => [200, 429, 503].includes(status))).toBe(true);
});

test('one key has two previews of policies at once, which hold no connection of changes', async () => {
  const agentId = await seedAgent(management.database, randomUUIDv7());
  const locker = await management.database.pool.connect();
  await locker.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
  const preview = () =>
    management.call('/api/v1/policies/preview', {
      method: 'POST',
      headers: { ...greedy.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ policies: [{ name: 'none', models: { allow: [] } }] }),
    });
  const previews = Array.from({ length: 30 }, preview);
  try {
    await management.refuse(await Promise.race(previews), 429, 'too many reads at once with this key');
    const blocked = await management.send('PUT', `/api/v1/agents/${agentId}`, { status: 'blocked' });
    expect(await blocked.json()).toMatchObject({ status: 'blocked' });
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  const statuses = (await Promise.all(previews)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(28);
  await expect.poll(async () => (await preview()).status).toBe(200);
});

test('changes are authenticated while reads wait for that', async () => {
  const agentId = await seedAgent(management.database, randomUUIDv7());
  const locker = await management.database.pool.connect();
  await locker.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
  const reads = Array.from({ length: 40 }, () => management.call('/api/v1/events', modest));
  try {
    const countWaiting = async () =>
      (await locker.query(`SELECT FROM pg_locks WHERE NOT granted AND relation = 'api_keys'::regclass`)).rowCount;
    // One look-up for all reads, and one for the change.
    await expect.poll(countWaiting).toBe(1);
    const blocking = management.send('PUT', `/api/v1/agents/${agentId}`, { status: 'blocked' });
    await expect.poll(countWaiting).toBe(2);
    await locker.query('ROLLBACK');
    expect((await blocking).status).toBe(200);
  } finally {
    locker.release();
  }
  expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('a client that leaves while its key is looked up holds neither a stream nor a read', async () => {
  const { hostname, port } = new URL(management.service.url);
  const { authorization } = greedy.headers as { authorization: string };
  const ask = async (path: string) => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`);
    return socket;
  };
  const paths = [...Array(maxStreamsPerKey).fill('/api/v1/events/stream'), ...Array(50).fill('/api/v1/events')];
  const locker = await management.database.pool.connect();
  await locker.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
  try {
    const sockets = await Promise.all(paths.map(ask));
    await management.call('/openapi.json');
    for (const socket of sockets) await once(socket.destroy(), 'close');
    // A later request is answered later: by then the server knows that the others are gone.
    await management.call('/openapi.json');
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  expect((await management.call('/api/v1/events', greedy)).status).toBe(200);
  await using stream = await openStream(management, '', greedy);
  expect(stream.response.status).toBe(200);
});
