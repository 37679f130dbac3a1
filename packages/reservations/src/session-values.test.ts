import { startTestStack } from '@agp/testing';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectRedis } from './connect-redis.ts';
import { createSessionValues, type SessionValuesOptions } from './session-values.ts';

const opened = new AsyncDisposableStack();
let admin: Redis;
let proxies: Redis[];
let names = 0;
const newName = (of = 'ses') => `${of}_${++names}`;
const base = 'agp:session-labels:{values}';

beforeAll(async () => {
  const stack = opened.use(await startTestStack({ redis: true }));
  const connect = async (url: string) => {
    const redis = connectRedis({ url, commandTimeoutMs: 60_000 });
    opened.defer(() => redis.disconnect());
    await new Promise((resolve) => redis.once('ready', resolve));
    return redis;
  };
  admin = await connect(stack.redisUrl);
  const { redisUrl } = stack.urls.proxy;
  proxies = await Promise.all([connect(redisUrl), connect(redisUrl)]);
});
afterAll(() => opened.disposeAsync());

const open = (options?: SessionValuesOptions, proxy = 0) => createSessionValues(proxies[proxy] as Redis, options);
const make = (count: number, of = 'v', length = 8) =>
  new Map(Array.from({ length: count }, (_, at) => [`[email ${of}${at}]`, `${of}${at}`.padEnd(length, '-')]));

/** Bytes as they are counted, and as they are. */
async function weigh(agent: string) {
  const counted = await admin.hgetall(`${base}:bytes`);
  const sessions = await admin.keys(`${base}:of:${agent} *`);
  return { counted: Number(counted[agent] ?? 0), all: Number(counted['*'] ?? 0), sessions: sessions.length };
}

test('what one proxy keeps of a session another one knows, and no other session or agent', async () => {
  const [agent, session] = [newName('agent'), newName()];
  const values = new Map([
    ['[email a]', 'c:\n"ö😀"'],
    ['[phone b]', '+49 30 1'],
  ]);
  await open().keep(agent, session, values);
  await open().keep(agent, session, new Map([['[email a]', 'another']]));
  expect(await open({}, 1).load(agent, session)).toEqual(values);
  expect(await open().load(agent, newName())).toEqual(new Map());
  expect(await open().load(newName('agent'), session)).toEqual(new Map());
});

test('a session holds 1,000 values of up to 512 characters, in bounded bytes', async () => {
  const [agent, session] = [newName('agent'), newName()];
  await open().keep(
    agent,
    session,
    new Map([
      ['[email a]', 'x'.repeat(513)],
      ['[email b]', '\ud800'],
    ]),
  );
  await open().keep(agent, session, make(600));
  await open().keep(agent, session, make(600, 'w'));
  expect((await open().load(agent, session)).size).toBe(1_000);
  const large = newName();
  await open().keep(agent, large, make(1_000, 'v', 512));
  const { size } = await open().load(agent, large);
  expect(size).toBeGreaterThan(100);
  expect(size).toBeLessThan(1_048_576 / 8 / 600);
});

test("an agent's own oldest sessions go first, and never another agent's", async () => {
  const most = { session: 10_000, agent: 20_000, all: (await weigh('')).all + 30_000 };
  const [one, other] = [newName('agent'), newName('agent')];
  const kept = newName();
  await open({ most }).keep(other, kept, make(50));
  const sessions = Array.from({ length: 6 }, () => newName());
  for (const session of sessions) {
    await open({ most }).keep(one, session, make(50));
    // It was used again.
    await open({ most }).load(one, sessions[0] as string);
  }
  const held = await Promise.all(sessions.map(async (session) => (await open().load(one, session)).size));
  expect(held).toEqual([50, 0, 0, 0, 50, 50]);
  expect((await open().load(other, kept)).size).toBe(50);
  expect((await weigh(one)).counted).toBeLessThanOrEqual(20_000);
  // All are full by then, of which it has none.
  const late = newName('agent');
  await open({ most: { ...most, all: (await weigh('')).all } }).keep(late, newName(), make(5));
  expect(await weigh(late)).toMatchObject({ counted: 0, sessions: 0 });
  expect((await open().load(other, kept)).size).toBe(50);
});

test('what was not used for long is forgotten, and its bytes are given back', async () => {
  const [agent, session] = [newName('agent'), newName()];
  await open().keep(agent, session, make(3));
  await admin.zadd(`${base}:used`, 1, `${agent} ${session}`);
  await open().keep(newName('agent'), newName(), make(1));
  expect(await weigh(agent)).toMatchObject({ counted: 0, sessions: 0 });
  const counted = await admin.hgetall(`${base}:bytes`);
  const ofAgents = Object.entries(counted).filter(([name]) => name !== '*' && !name.includes(' '));
  expect(ofAgents.reduce((sum, [, bytes]) => sum + Number(bytes), 0)).toBe(Number(counted['*']));
});

test('Redis holds little more than what is counted', async () => {
  const memory = async () => Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
  const [before, counted] = [await memory(), (await weigh('')).all];
  const agent = newName('agent');
  for (let session = 0; session < 14; session++) await open().keep(agent, newName(), make(1_000, 'v', 20));
  const grown = (await memory()) - before;
  expect(grown).toBeLessThan(2 * ((await weigh('')).all - counted));
});

test('without Redis both throw', async () => {
  const redis = connectRedis({ url: 'redis://127.0.0.1:1' });
  redis.on('error', () => {});
  opened.defer(() => redis.disconnect());
  await expect(createSessionValues(redis).load('a', 'b')).rejects.toThrow();
  await expect(createSessionValues(redis).keep('a', 'b', make(1))).rejects.toThrow();
});
