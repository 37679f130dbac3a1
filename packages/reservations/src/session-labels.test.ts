import { startTestStack } from '@agp/testing';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectRedis } from './connect-redis.ts';
import { createSessionLabels, type SessionLabels } from './session-labels.ts';

const opened = new AsyncDisposableStack();
let admin: Redis;
/** Of three proxies. */
let proxies: SessionLabels[];
let sessions = 0;
const newSession = () => `ses_${++sessions}`;
const keyOf = (session: string) => `agp:session-labels:${session}`;
const email = (value: string) => ({ kind: 'email', value });
const many = (count: number, of = 'v') =>
  Array.from({ length: count }, (_, index) => email(`${of}${index}@example.com`));

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
  const clients = await Promise.all([1, 2, 3].map(() => connect(redisUrl)));
  proxies = clients.map((redis) => createSessionLabels(redis, { idleSeconds: 60 }));
});
afterAll(() => opened.disposeAsync());

const open = (session: string, { proxy = 0, keepsValues = true, reserve = 0 } = {}) =>
  (proxies[proxy] as SessionLabels).open(session, { keepsValues, reserve });

test('numbers count by kind, hold for the session on every proxy, and stand for their values again', async () => {
  const session = newSession();
  const one = await open(session);
  await one.assign([email('a@example.com'), { kind: 'phone', value: '+49 30 1' }, email('b@example.com')]);
  expect(one.numberOf('email', 'b@example.com')).toBe(2);
  expect(one.numberOf('phone', '+49 30 1')).toBe(1);
  const two = await open(session, { proxy: 1 });
  await two.assign([email('c:\n"ö😀"'), email('a@example.com')]);
  expect(two.numberOf('email', 'a@example.com')).toBe(1);
  expect(['email 3', 'phone 1', 'phone 2', 'email 1 '].map((label) => two.valueOf(label))).toEqual([
    'c:\n"ö😀"',
    '+49 30 1',
    undefined,
    undefined,
  ]);
  expect(two.numberOf('email', 'new@example.com'), 'nothing was reserved').toBe(null);
  const other = await open(newSession());
  await other.assign([email('b@example.com')]);
  expect(other.numberOf('email', 'b@example.com')).toBe(1);
});

test('without keepsValues Redis holds digests alone, and a value is kept from when a policy restores it', async () => {
  const session = newSession();
  const plain = await open(session, { keepsValues: false });
  await plain.assign([email('a@example.com')]);
  expect(JSON.stringify(await admin.hgetall(keyOf(session)))).not.toContain('example');
  expect((await open(session)).valueOf('email 1')).toBe(undefined);
  const restoring = await open(session);
  await restoring.assign([email('a@example.com')]);
  expect(restoring.valueOf('email 1')).toBe('a@example.com');
  expect((await open(session)).valueOf('email 1')).toBe('a@example.com');
});

test('requests and answers of three proxies at once: one number for a value of requests, never one for two values', async () => {
  const session = newSession();
  const labels = new Map<number, Set<string>>();
  const ofRequests = new Map<string, Set<number>>();
  const note = <Key, Value>(map: Map<Key, Set<Value>>, key: Key, value: Value) =>
    map.set(key, (map.get(key) ?? new Set<Value>()).add(value));
  const call = async (index: number) => {
    const held = await open(session, { proxy: index % 3, reserve: index % 4 });
    const values = many(1 + (index % 5), `r${index % 7}-`);
    await held.assign(values);
    for (const { kind, value } of values) {
      note(labels, held.numberOf(kind, value) as number, value);
      note(ofRequests, value, held.numberOf(kind, value) as number);
    }
    for (const { kind, value } of many(3, `a${index}-`)) {
      const number = held.numberOf(kind, value);
      if (number !== null) note(labels, number, value);
      // Others open, assign and close meanwhile.
      await open(session);
    }
    if (index % 10 > 0) await held.close();
  };
  const worker = async (index: number) => {
    for (let turn = 0; turn < 10; turn += 1) await call(index + turn * 9);
  };
  await Promise.all(Array.from({ length: 9 }, (_, index) => worker(index)));
  expect([...ofRequests.values()].filter(({ size }) => size !== 1)).toEqual([]);
  expect([...labels.values()].filter(({ size }) => size !== 1)).toEqual([]);
  const after = await open(session);
  for (const [number, values] of labels)
    expect([undefined, ...values], `email ${number}`).toContain(after.valueOf(`email ${number}`));
});

test('an answer numbers on from its request; what it did not use is given back unless a later one is open', async () => {
  const session = newSession();
  const first = await open(session, { reserve: 5 });
  await first.assign([email('asked@example.com')]);
  expect(first.numberOf('email', 'asked@example.com')).toBe(1);
  const second = await open(session, { proxy: 1, reserve: 5 });
  expect(first.numberOf('email', 'told@example.com')).toBe(2);
  expect(first.numberOf('phone', '1')).toBe(1);
  expect(second.numberOf('phone', '2')).toBe(6);
  await first.close();
  await second.close();
  await first.close();
  const third = await open(session, { reserve: 2 });
  expect(third.valueOf('email 1')).toBe('asked@example.com');
  expect(third.valueOf('email 2'), "what a model wrote is nobody's to have back").toBeUndefined();
  expect([third.numberOf('phone', '1'), third.numberOf('phone', '2')]).toEqual([1, 6]);
  expect(['x', 'y', 'z'].map((value) => third.numberOf('phone', value))).toEqual([7, 8, null]);
  expect(third.numberOf('iban', 'x'), 'the first could not give back what lay before the second').toBe(6);
});

test('a session holds 1,000 values of 512 characters, and nothing that is no text', async () => {
  const session = newSession();
  const held = await open(session, { reserve: 10 });
  await held.assign([email('x'.repeat(513)), email('\ud800'), ...many(997), email('x'.repeat(512))]);
  expect([held.numberOf('email', 'x'.repeat(513)), held.numberOf('email', '\ud800')]).toEqual([null, null]);
  expect(held.numberOf('email', 'x'.repeat(512))).toBe(998);
  expect(['a', 'b', 'c'].map((value) => held.numberOf('phone', value))).toEqual([1, 2, null]);
  await held.close();
  const after = await open(session, { reserve: 10 });
  await after.assign([email('late@example.com')]);
  expect(after.numberOf('email', 'late@example.com')).toBe(null);
  expect(after.numberOf('phone', 'b')).toBe(2);
});

test('use keeps labels for the length of the session; once they are gone, what was opened before changes nothing', async () => {
  const session = newSession();
  const old = await open(session, { reserve: 3 });
  await old.assign([email('a@example.com')]);
  await admin.pexpire(keyOf(session), 1_000);
  await open(session);
  expect(await admin.pttl(keyOf(session))).toBeGreaterThan(1_000);
  await admin.del(keyOf(session));
  const fresh = await open(session);
  await fresh.assign([email('b@example.com')]);
  expect(old.numberOf('email', 'c@example.com')).toBe(2);
  await expect(old.assign([email('d@example.com')])).rejects.toThrow('are gone');
  await old.close();
  const next = await open(session);
  await next.assign([email('e@example.com')]);
  expect([1, 2].map((number) => next.valueOf(`email ${number}`))).toEqual(['b@example.com', 'e@example.com']);
});

test('while Redis is down labels cannot be opened or assigned, and closing them fails nothing', async () => {
  await using stack = await startTestStack({ redis: true });
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 5_000 });
  await new Promise((resolve) => redis.once('ready', resolve));
  const labels = createSessionLabels(redis, { idleSeconds: 60 });
  const held = await labels.open('ses_a', { keepsValues: true, reserve: 3 });
  await stack.redis.stop();
  await expect(labels.open('ses_a', { keepsValues: true, reserve: 3 })).rejects.toThrow();
  await expect(held.assign([email('a@example.com')])).rejects.toThrow();
  expect(held.numberOf('email', 'b@example.com')).toBe(1);
  await held.close();
  redis.disconnect();
});
