import { connectBus } from '@agp/bus';
import pg from 'pg';
import { expect, test } from 'vitest';
import { sendToRedis } from './send-to-redis.ts';
import { startTestStack } from './start-test-stack.ts';

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Makes a stream unless it exists, publishes one message to it, and returns the message's number. */
async function publishToKeptStream(natsUrl: string): Promise<number> {
  const connection = await connectBus({ url: natsUrl, name: 'test' });
  await (await connection.jetstreamManager()).streams.add({ name: 'kept', subjects: ['kept'] });
  const { seq } = await connection.jetstream().publish('kept', 'message');
  await connection.close();
  return seq;
}

test('two stacks have databases of their own, each with the schema', async () => {
  await using one = await startTestStack();
  await using two = await startTestStack();
  await query(one.databaseUrl, 'CREATE TABLE only_here ()');
  expect(await query(two.databaseUrl, "SELECT to_regclass('only_here') AS name")).toEqual([{ name: null }]);
  expect(await query(two.databaseUrl, "SELECT to_regclass('events')::text AS name")).toEqual([{ name: 'events' }]);
});

test('NATS and Redis that are killed or stopped come back on the same port, with what they had', async () => {
  await using stack = await startTestStack({ nats: true, redis: true });
  await publishToKeptStream(stack.natsUrl);
  await stack.nats.kill();
  await stack.nats.start();
  expect(await publishToKeptStream(stack.natsUrl)).toBe(2);

  expect(await sendToRedis(stack.redisUrl, 'SET kept one')).toBe('+OK');
  await stack.redis.stop();
  await expect(sendToRedis(stack.redisUrl, 'PING')).rejects.toThrow('ECONNREFUSED');
  await stack.redis.start();
  expect(await sendToRedis(stack.redisUrl, 'EXISTS kept')).toBe(':1');
});

test('a Postgres of its own can be paused, resumed, killed and started again', async () => {
  await using stack = await startTestStack({ ownPostgres: true });
  await query(stack.databaseUrl, 'CREATE TABLE kept ()');

  stack.postgres.pause();
  await expect(query(stack.databaseUrl, 'SELECT 1')).rejects.toThrow('timeout');
  stack.postgres.resume();
  expect(await query(stack.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

  await stack.postgres.kill();
  await expect(query(stack.databaseUrl, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  await stack.postgres.start();
  expect(await query(stack.databaseUrl, 'SELECT count(*)::int FROM kept')).toEqual([{ count: 0 }]);
});

test('nothing of a stack is left when it has been disposed of', async () => {
  const stack = await startTestStack({ nats: true, redis: true });
  await stack[Symbol.asyncDispose]();
  await expect(sendToRedis(stack.redisUrl, 'PING')).rejects.toThrow('ECONNREFUSED');
  await expect(fetch(`http://${new URL(stack.natsUrl).host}`)).rejects.toThrow('fetch failed');
  await expect(query(stack.databaseUrl, 'SELECT 1')).rejects.toThrow('does not exist');
});
