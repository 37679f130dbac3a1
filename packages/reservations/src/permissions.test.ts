import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { eventually, startTestStack } from '@agp/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createBudgetReservations, type Reservation } from './budget-reservations.ts';
import { connectRedis } from './connect-redis.ts';
import { createThrottle } from './create-throttle.ts';
import { createIdleSessions } from './idle-sessions.ts';
import { type RedisUser, redisUsers } from './permissions.ts';

const opened = new AsyncDisposableStack();
const clients = {} as Record<RedisUser | 'admin', Redis>;
let host: string;

beforeAll(async () => {
  const stack = opened.use(await startTestStack({ redis: true }));
  ({ host } = new URL(stack.redisUrl));
  for (const user of [...redisUsers, 'admin'] as const) {
    const redis = connectRedis({
      url: user === 'admin' ? stack.redisUrl : stack.urls[user].redisUrl,
      commandTimeoutMs: 60_000,
    });
    clients[user] = redis;
    opened.defer(() => redis.disconnect());
    await new Promise((resolve) => redis.once('ready', resolve));
  }
});
afterAll(() => opened.disposeAsync());

const day = '2030-01-01';
const make = (): Reservation => ({ eventId: randomUUID(), agentId: randomUUID(), day, nanoUsd: 7 });
const forwarded = { sessionId: 'ses_a', provider: 'openai', model: null };
const heldKey = `agp:{budget}:${day}:held`;

const refusedToAll: string[][] = [
  ['FLUSHALL'],
  ['FLUSHDB'],
  ['CONFIG', 'GET', '*'],
  ['CONFIG', 'SET', 'dir', '/tmp'],
  ['KEYS', '*'],
  ['SCAN', '0'],
  ['DEL', heldKey],
  ['UNLINK', heldKey],
  ['RENAME', heldKey, 'agp:{budget}:other'],
  ['ACL', 'LIST'],
  ['ACL', 'SETUSER', 'proxy', '+@all'],
  ['MONITOR'],
  ['SHUTDOWN'],
  ['SAVE'],
  ['CLIENT', 'LIST'],
  ['CLIENT', 'KILL', 'TYPE', 'normal'],
  ['SCRIPT', 'FLUSH'],
  ['FUNCTION', 'LIST'],
  ['REPLICAOF', 'no', 'one'],
  ['SUBSCRIBE', 'any'],
  ['PUBLISH', 'any', 'thing'],
  ['SELECT', '1'],
  ['HGETALL', 'foreign'],
  ['HSET', 'foreign', 'a', 'b'],
  ['SET', 'foreign', '1'],
  ['GET', 'foreign'],
  ['EVAL', "return redis.call('HGETALL', KEYS[1])", '1', 'foreign'],
  // A key that the script does not name beforehand.
  ['EVAL', "return redis.call('HGETALL', 'foreign')", '0'],
  ['EVAL', "return redis.call('FLUSHALL')", '0'],
];

/** Only the proxy may make what is reserved more. */
const refusedToReleasers: string[][] = [
  ['ZADD', `agp:{budget}:${day}:forwarded`, '1', 'forged'],
  ['HSET', `agp:{budget}:${day}:requests`, 'forged', 'ses_a|openai|'],
  ['HSET', heldKey, 'forged', '1|1|agent'],
  ['ZADD', `agp:{budget}:${day}:leases`, '1', 'forged'],
  ['INCR', `agp:{budget}:${day}:seq`],
  ['EVAL', "return redis.call('HSET', KEYS[1], 'forged', '1|1|agent')", '1', heldKey],
  ['SET', 'agp:idle-session:agent', 'ses_forged'],
  ['GET', 'agp:idle-session:agent'],
  ['HGETALL', 'agp:session-labels:ses_a'],
];

const refusedTo: Record<RedisUser, string[][]> = {
  proxy: [
    ['SET', 'agp:throttle:management-auth:10.0.0.1', '0'],
    ['INCRBY', 'agp:throttle:management-auth:10.0.0.1', '-5'],
  ],
  writer: [...refusedToReleasers, ['SET', 'agp:throttle:management-auth:10.0.0.1', '0']],
  management: [...refusedToReleasers, ['SET', 'agp:throttle:registrations:10.0.0.1', '0']],
  operator: [
    ...refusedToReleasers,
    ['GET', heldKey],
    ['EVAL', 'return 1', '0'],
    ['ACL', 'SAVE'],
    ['ACL', 'GETUSER', 'proxy'],
  ],
};

describe.each(redisUsers)('%s', (user) => {
  test.each([...refusedToAll, ...refusedTo[user]])('is refused %s %s %s', async (command, ...args) => {
    await expect(clients[user].call(command, ...args)).rejects.toThrow(
      /^(NOPERM|ERR The user executing the script can't)/,
    );
  });
});

test('the proxy reserves, holds, confirms and releases, opens sessions and counts registrations and exchanges', async () => {
  const budget = createBudgetReservations(clients.proxy);
  const [one, two] = [make(), make()];
  // Together: the client sends them in a pipeline.
  await Promise.all([budget.reserve(one, 10), budget.reserve(two, null)]);
  await budget.renew([one, make()]);
  await budget.confirm([two]);
  await budget.forward([{ ...two, forwarded }]);
  await budget.purge(day);
  expect(await budget.list(day, one.agentId)).toHaveLength(1);
  expect((await budget.readTotals(day)).globalNanoUsd).toBe(21);
  await budget.release([one]);
  const failures: Error[] = [];
  const sessions = createIdleSessions(clients.proxy, { idleSeconds: 60, onFailure: (error) => failures.push(error) });
  await sessions.resolve('agt_a', () => 'ses_a');
  expect(failures).toEqual([]);
  for (const name of ['registrations', 'exchanges']) await consumeShared('proxy', name);
});

test('the writer releases and sweeps what the proxy reserved, and management shows it and counts failures', async () => {
  const reservation = make();
  await createBudgetReservations(clients.proxy).reserve(reservation, null);
  const [ofWriter, ofManagement] = [
    createBudgetReservations(clients.writer),
    createBudgetReservations(clients.management),
  ];
  await expect(ofWriter.reserve(make(), null)).rejects.toThrow();
  await expect(ofManagement.reserve(make(), null)).rejects.toThrow();
  await ofManagement.purge(day);
  expect((await ofManagement.list(day, null)).map(({ eventId }) => eventId)).toContain(reservation.eventId);
  expect((await ofWriter.list(day, reservation.agentId)).map(({ eventId }) => eventId)).toEqual([reservation.eventId]);
  await createBudgetReservations(clients.proxy, 0).forward([{ ...reservation, forwarded }]);
  expect(await ofWriter.listEnded(day, 10)).toMatchObject({ ended: [{ eventId: reservation.eventId }], isAll: true });
  await ofWriter.release([reservation]);
  expect(await ofManagement.list(day, reservation.agentId)).toEqual([]);
  await consumeShared('management', 'management-auth');
});

test("a script without an end, which any user may begin, is ended by the proxy's user and by no other service's", async () => {
  await clients.admin.call('CONFIG', 'SET', 'lua-time-limit', '50');
  // Waits for its answer for as long as it takes.
  const patient = clients.writer.duplicate({ commandTimeout: undefined });
  onTestFinished(() => patient.disconnect());
  await once(patient, 'ready');
  const ended = expect(patient.call('EVAL', 'while true do end', '0')).rejects.toThrow(/kill/i);
  await setTimeout(150);
  try {
    await expect(clients.management.call('SCRIPT', 'KILL')).rejects.toThrow('NOPERM');
    expect(await clients.proxy.call('SCRIPT', 'KILL')).toBe('OK');
  } finally {
    // Redis would answer no other test.
    await clients.admin.call('SCRIPT', 'KILL').catch(() => {});
    await ended;
  }
});

test('the operator lets Redis read its users again, and nobody else does', async () => {
  for (const user of ['proxy', 'writer', 'management'] as const)
    await expect(clients[user].call('ACL', 'LOAD')).rejects.toThrow('NOPERM');
  expect(await clients.operator.call('ACL', 'LOAD')).toBe('OK');
  // Redis before 7.2 ends all connections.
  await eventually(async () => {
    for (const client of Object.values(clients)) expect(await client.ping()).toBe('PONG');
  });
});

test('a connection without a password, or with a wrong one, is refused', async () => {
  const connectAs = async (url: string) => {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on('error', () => {});
    try {
      return await redis.connect().then(() => redis.ping());
    } finally {
      redis.disconnect();
    }
  };
  await expect(connectAs(`redis://${host}`)).rejects.toThrow();
  await expect(connectAs(`redis://proxy:wrong@${host}`)).rejects.toThrow();
});

/** A throttle silently falls back to a count of its own, so this looks for its key in Redis. */
async function consumeShared(user: RedisUser, name: string): Promise<void> {
  await createThrottle(clients[user], { name, points: 5, durationSeconds: 60 }).consume('10.1.2.3');
  expect(await clients.admin.get(`agp:throttle:${name}:10.1.2.3`)).toBe('1');
}
