import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import { makeTestAuthority, startTestStack } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createBudgetReservations } from './budget-reservations.ts';
import { connectRedis, type RedisStatus } from './connect-redis.ts';

/** Connects, and answers what came of it: `ready`, or why not. */
function tryToConnect(url: string, caFile?: string): Promise<string> {
  const redis = connectRedis({ url, caFile, commandTimeoutMs: 60_000 });
  onTestFinished(() => redis.disconnect());
  return new Promise((resolve) => {
    redis.once('ready', () => resolve('ready'));
    redis.once('error', (error) => resolve(error.message));
  });
}

test('over TLS a client takes a server that its authority vouches for, and no other', async () => {
  using authority = makeTestAuthority();
  using stranger = makeTestAuthority();
  await using stack = await startTestStack({ redis: true, tls: authority.issue('127.0.0.1') });
  await using plain = await startTestStack({ redis: true });
  await using misnamed = await startTestStack({ redis: true, tls: authority.issue('redis.example') });
  const { caFile } = authority;
  const url = stack.urls.proxy.redisUrl;
  expect(url).toMatch(/^rediss:/);
  const redis = connectRedis({ url, caFile, commandTimeoutMs: 60_000 });
  onTestFinished(() => redis.disconnect());
  await new Promise((resolve) => redis.once('ready', resolve));
  expect((await createBudgetReservations(redis).readTotals('2030-01-01')).globalNanoUsd).toBe(0);

  expect(await tryToConnect(url)).toMatch(/certificate/);
  expect(await tryToConnect(url, stranger.caFile)).toMatch(/certificate|self-signed/);
  expect(await tryToConnect(misnamed.urls.proxy.redisUrl, caFile)).toMatch(/altnames/);
  // A server that speaks no TLS gets no password: neither where the URL asks for TLS nor where a file does.
  expect(await tryToConnect(plain.urls.proxy.redisUrl.replace('redis:', 'rediss:'))).not.toBe('ready');
  expect(await tryToConnect(plain.urls.proxy.redisUrl, caFile)).not.toBe('ready');
});

test('a rotated authority is taken with the next connection, also while its file is being replaced', async () => {
  using authority = makeTestAuthority();
  using successor = makeTestAuthority();
  await using stack = await startTestStack({ redis: true, tls: authority.issue('127.0.0.1') });
  const { certFile, keyFile } = authority.issue('127.0.0.1');
  const redis = connectRedis({ url: stack.urls.proxy.redisUrl, caFile: authority.caFile, commandTimeoutMs: 60_000 });
  onTestFinished(() => redis.disconnect());
  await once(redis, 'ready');
  const next = successor.issue('127.0.0.1');
  copyFileSync(next.certFile, certFile);
  copyFileSync(next.keyFile, keyFile);
  rmSync(authority.caFile);
  await stack.redis.stop();
  await stack.redis.start();
  await new Promise((resolve) => redis.once('reconnecting', resolve));
  copyFileSync(successor.caFile, authority.caFile);
  await expect.poll(() => redis.status).toBe('ready');
});

test('a certificate file that is not there is an error at once', () => {
  expect(() => connectRedis({ url: 'redis://127.0.0.1:9', caFile: '/nowhere/ca.crt' })).toThrow('ENOENT');
});

test('each reason why Redis cannot be used is reported once, and so is its return', async () => {
  await using stack = await startTestStack({ redis: true });
  const told: string[] = [];
  const onStatus = (status: RedisStatus, error?: Error) => told.push(`${status}: ${error?.message}`);
  const url = stack.urls.proxy.redisUrl;
  await stack.redis.stop();
  const wrong = Object.assign(new URL(url), { password: 'wrong' }).href;
  const redis = connectRedis({ url: wrong, commandTimeoutMs: 60_000, onStatus });
  onTestFinished(() => redis.disconnect());
  const waitUntilTold = (count: number) => expect.poll(() => told.length).toBe(count);
  await waitUntilTold(1);
  await stack.redis.start();
  await waitUntilTold(2);
  // Of each there are several by now.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(told).toEqual([
    expect.stringMatching(/^unreachable: connect ECONNREFUSED/),
    expect.stringMatching(/^unreachable: WRONGPASS/),
  ]);
  const users = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 60_000 });
  onTestFinished(() => users.disconnect());
  await new Promise((resolve) => users.once('ready', resolve));
  await users.call('ACL', 'SETUSER', 'proxy', '>wrong');
  await waitUntilTold(3);
  expect(told[2]).toBe('ready: undefined');
});

test('of two logins the one that works is used, each connection reads them again, and one that works stays', async () => {
  await using stack = await startTestStack({ redis: true });
  const old = stack.urls.proxy.redisUrl;
  const next = Object.assign(new URL(old), { password: 'next' }).href;
  let text = `${next}\n${old}\n`;
  const redis = connectRedis({ url: () => text, commandTimeoutMs: 60_000 });
  onTestFinished(() => redis.disconnect());
  const isReady = () => new Promise((resolve) => redis.once('ready', resolve));
  await isReady();
  const admin = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 60_000 });
  onTestFinished(() => admin.disconnect());
  await once(admin, 'ready');
  const id = () => redis.call('INFO', 'server').then(() => redis.stream.localPort);
  const before = await id();
  await admin.call('ACL', 'SETUSER', 'proxy', 'resetpass', '>next');
  expect(await id()).toBe(before);
  text = next;
  redis.disconnect(true);
  await isReady();
  expect(await redis.ping()).toBe('PONG');
});
