import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { eventually, makeTestAuthority, startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';
import { announce, subscribeToAnnouncements } from './announcements.ts';
import { type BusStatus, connectBus } from './connect.ts';
import { type DeliveredEvent, EventConsumer } from './consume-events.ts';
import { Outbox } from './outbox.ts';
import { ensureEventStream } from './streams.ts';

function makeFolder() {
  const path = mkdtempSync(join(tmpdir(), 'agp-bus-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

const stream = { replicas: 1, maxBytes: 64 * 1024 ** 2 };

test('a client waits for a server that starts later, reports it once, and then works', async () => {
  await using stack = await startTestStack({ nats: true });
  await stack.nats.stop();
  const reported: BusStatus[] = [];
  const opening = connectBus({ url: stack.natsUrl, name: 'agp-late', onStatus: (status) => reported.push(status) });
  await setTimeout(1_500);
  expect(reported).toEqual(['waiting']);
  await stack.nats.start();
  const connection = await opening;

  const outbox = new Outbox(connection);
  outbox.add('one', 'one');
  const heard: unknown[] = [];
  subscribeToAnnouncements(
    connection,
    (batch) => heard.push(batch.announcer_seq),
    () => heard.push('gap'),
  );
  await announce(connection, { announcer: '0190163d-8694-739b-aea5-966c26f8ad91', announcer_seq: 7, events: [] });
  const delivered: DeliveredEvent[] = [];
  const consumer = new EventConsumer(connection, { stream, maxHeld: 1_000, onEvent: (event) => delivered.push(event) });
  await eventually(() => expect(delivered).toHaveLength(1));
  expect(await outbox.drain(60_000)).toBe(0);
  expect(heard).toEqual([7]);

  await stack.nats.stop();
  await eventually(() => expect(reported).toEqual(['waiting', 'disconnected']));
  await stack.nats.start();
  await eventually(() => expect(reported).toEqual(['waiting', 'disconnected', 'reconnected']));
  await consumer.drain();
  outbox.stop();
  await connection.close();
});

test('the wait can be ended, and commands do not wait', async () => {
  const url = 'nats://proxy:hunter2@127.0.0.1:9';
  const giveUp = new AbortController();
  const reported: string[] = [];
  const opening = connectBus({
    url,
    name: 'a',
    signal: giveUp.signal,
    onStatus: (_, detail) => reported.push(detail ?? ''),
  });
  await eventually(() => expect(reported).toHaveLength(1));
  giveUp.abort();
  await expect(opening).rejects.toThrow('aborted');
  expect(reported[0]).not.toContain('hunter2');
  await expect(connectBus({ url, name: 'a', wait: false })).rejects.toThrow('CONNECTION_REFUSED');
});

test('a wrong password is reported as such, and tried again', async () => {
  await using stack = await startTestStack({ nats: true });
  const giveUp = new AbortController();
  const reported: string[] = [];
  const onStatus = (status: BusStatus, detail?: string) => reported.push(`${status}: ${detail}`);
  const url = stack.urls.proxy.natsUrl.replace(/:[^:@]+@/, ':wrong@');
  const opening = connectBus({ url, name: 'agp-proxy', signal: giveUp.signal, onStatus });
  await eventually(() => expect(reported).toEqual(["waiting: 'Authorization Violation'"]));
  giveUp.abort();
  await expect(opening).rejects.toThrow('aborted');
});

test('a changed password is read from its file, and the outbox loses nothing', async () => {
  await using stack = await startTestStack({ nats: true });
  using folder = makeFolder();
  const urlFile = join(folder.path, 'nats-url');
  const { natsUrl } = stack.urls.proxy;
  writeFileSync(urlFile, natsUrl);
  const reported: string[] = [];
  const onStatus = (status: BusStatus, detail?: string) => reported.push(detail ? `${status}: ${detail}` : status);
  const url = () => readFileSync(urlFile, 'utf8');
  const connection = await connectBus({ url, name: 'agp-proxy', onStatus });
  const admin = await connectBus({ url: stack.natsUrl, name: 'admin' });
  await ensureEventStream(admin, stream);
  const outbox = new Outbox(connection);
  await stack.nats.stop();
  // In the opposite order of a real rotation, where NATS gets the new password first.
  writeFileSync(urlFile, natsUrl.replace(/:[^:@]+@/, ':another@'));
  await stack.nats.start();
  outbox.add('one', 'one');
  await eventually(() => expect(reported).toEqual(['disconnected', 'refused: AUTHORIZATION_VIOLATION']));
  writeFileSync(urlFile, `${natsUrl}\n`);
  expect(await outbox.drain(60_000)).toBe(0);
  expect(reported.at(-1)).toBe('reconnected');
  // Two, of which one works, whichever comes first: also where nobody waits.
  writeFileSync(urlFile, `${natsUrl.replace(/:[^:@]+@/, ':next@')}\n${natsUrl}\n`);
  await stack.nats.stop();
  outbox.add('two', 'two');
  await stack.nats.start();
  expect(await outbox.drain(60_000)).toBe(0);
  await (await connectBus({ url, name: 'agp-operator', wait: false })).close();
  outbox.stop();
  await Promise.all([connection.close(), admin.close()]);
});

test('over TLS a client trusts only a server certified by its authority', async () => {
  using authority = makeTestAuthority();
  using stranger = makeTestAuthority();
  await using stack = await startTestStack({ nats: true, tls: authority.issue('127.0.0.1') });
  await using plain = await startTestStack({ nats: true });
  await using misnamed = await startTestStack({ nats: true, tls: authority.issue('nats.example') });
  const { caFile } = authority;
  const open = (url: string, file?: string) => connectBus({ url, name: 'agp-proxy', caFile: file, wait: false });
  const secured = await open(stack.urls.proxy.natsUrl, caFile);
  const outbox = new Outbox(secured);
  expect(stack.urls.proxy.natsUrl).toMatch(/^tls:/);
  await secured.flush();
  outbox.stop();
  await secured.close();
  await expect(open(stack.urls.proxy.natsUrl)).rejects.toThrow(/certificate/);
  await expect(open(stack.urls.proxy.natsUrl, stranger.caFile)).rejects.toThrow(/certificate|self-signed/);
  await expect(open(misnamed.urls.proxy.natsUrl, caFile)).rejects.toThrow(/altnames|does not match/);
  // A server without TLS gets no password, whether TLS is required by the URL or by a file.
  await expect(open(plain.urls.proxy.natsUrl.replace('nats:', 'tls:'))).rejects.toThrow('tls');
  await expect(open(plain.urls.proxy.natsUrl, caFile)).rejects.toThrow('tls');
});
