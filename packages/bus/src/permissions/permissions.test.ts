import { setTimeout } from 'node:timers/promises';
import { eventually, startTestStack } from '@agp/testing';
import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  announcementSubject,
  connectBus,
  EventConsumer,
  ensureEventStream,
  eventStream,
  eventSubject,
  keptStream,
  keptSubject,
  Outbox,
  readBacklog,
  replayConsumer,
  writerConsumer,
} from '../index.ts';
import { type NatsUser, natsPermissions, natsUsers, renderNatsConfig } from '../permissions.ts';

const stream = { replicas: 1, maxBytes: 64 * 1024 ** 2 };
const opened = new AsyncDisposableStack();
let urls: Record<NatsUser, string>;
/** An administrator, who sees all messages and makes what others must not touch. */
let admin: NatsConnection;

beforeAll(async () => {
  const stack = opened.use(await startTestStack({ nats: true }));
  const { proxy, writer, management, operator } = stack.urls;
  urls = { proxy: proxy.natsUrl, writer: writer.natsUrl, management: management.natsUrl, operator: operator.natsUrl };
  admin = await connectBus({ url: stack.natsUrl, name: 'admin' });
  opened.defer(() => admin.close());
  await ensureEventStream(admin, stream);
  await (await admin.jetstreamManager()).streams.add({ name: 'OTHER', subjects: ['other'] });
});
afterAll(() => opened.disposeAsync());

/** A hostile client: it sends anything, and collects what it is refused. */
async function intrude(user: NatsUser) {
  const { username, password, host } = new URL(urls[user]);
  const connection = await connect({ servers: host, user: username, pass: password, inboxPrefix: `_INBOX_${user}` });
  onTestFinished(() => connection.close());
  const refused: string[] = [];
  void (async () => {
    for await (const { permissionContext: context } of connection.status()) {
      if (context) refused.push(`${context.operation} ${context.subject}`);
    }
  })();
  return { connection, refused };
}

const api = (operation: string, ...names: string[]) => ['$JS.API', operation, ...names].join('.');
const manageOwn = [
  api('STREAM.CREATE', eventStream),
  api('STREAM.UPDATE', eventStream),
  api('CONSUMER.CREATE', eventStream, writerConsumer),
  api('CONSUMER.MSG.NEXT', eventStream, writerConsumer),
  `$JS.ACK.${eventStream}.${writerConsumer}.1.1.1.1.1`,
];
const destroy = [
  api('STREAM.PURGE', eventStream),
  api('STREAM.DELETE', eventStream),
  api('STREAM.MSG.DELETE', eventStream),
  api('STREAM.MSG.GET', eventStream),
  api('CONSUMER.DELETE', eventStream, writerConsumer),
  api('CONSUMER.CREATE', eventStream, 'another'),
  api('CONSUMER.DURABLE.CREATE', eventStream, 'another'),
  api('STREAM.CREATE', 'ANOTHER'),
  api('STREAM.UPDATE', 'OTHER'),
  api('STREAM.DELETE', 'OTHER'),
  api('STREAM.PURGE', keptStream),
  api('STREAM.MSG.GET', keptStream),
  api('CONSUMER.CREATE', keptStream, 'another'),
  api('INFO'),
  api('STREAM.NAMES'),
];
const manageKept = ['CREATE', 'UPDATE', 'DELETE'].map((action) => api(`STREAM.${action}`, keptStream));
const readKept = ['CREATE', 'MSG.NEXT'].map((action) => api(`CONSUMER.${action}`, keptStream, replayConsumer));
const inboxes = natsUsers.map((user) => `_INBOX_${user}.x`);
const listening = [
  '>',
  'agp.>',
  eventSubject,
  announcementSubject,
  '$JS.>',
  '$SYS.>',
  '_INBOX.>',
  ...natsUsers.map((user) => `_INBOX_${user}.>`),
];
const anybody = [keptSubject, 'other', 'agp.events', `${eventSubject}.more`, '$SYS.REQ.SERVER.PING', ...inboxes];

const refusedTo: Record<NatsUser, { publish: string[]; subscribe: string[] }> = {
  proxy: {
    publish: [announcementSubject, ...manageOwn, ...manageKept, ...readKept, ...destroy, ...anybody],
    subscribe: listening.filter((subject) => subject !== '_INBOX_proxy.>'),
  },
  writer: {
    publish: [eventSubject, ...readKept, ...destroy, ...anybody],
    subscribe: listening.filter((subject) => subject !== '_INBOX_writer.>'),
  },
  management: {
    publish: [eventSubject, announcementSubject, ...manageOwn, ...manageKept, ...readKept, ...destroy, ...anybody],
    subscribe: listening.filter((subject) => subject !== announcementSubject),
  },
  operator: {
    publish: [announcementSubject, ...manageOwn, ...manageKept, ...destroy, ...anybody],
    subscribe: listening.filter((subject) => subject !== '_INBOX_operator.>'),
  },
};

describe.each(natsUsers)('%s', (user) => {
  test('is refused each subject that it has no part in, and nothing of it arrives', async () => {
    const { connection, refused } = await intrude(user);
    const arrived: string[] = [];
    const subscription = admin.subscribe('>', {
      callback: (_, { subject, data }) => {
        if (Buffer.from(data).toString() === `forged by ${user}`) arrived.push(subject);
      },
    });
    await admin.flush();
    const { publish, subscribe } = refusedTo[user];
    for (const subject of publish) connection.publish(subject, `forged by ${user}`);
    await connection.flush();
    await eventually(() => expect(refused.toSorted()).toEqual(publish.map((subject) => `publish ${subject}`).sort()));
    refused.length = 0;
    for (const subject of subscribe) connection.subscribe(subject, { callback: () => {} });
    await connection.flush();
    await eventually(() =>
      expect(refused.toSorted()).toEqual(subscribe.map((subject) => `subscription ${subject}`).sort()),
    );
    await admin.flush();
    expect(arrived).toEqual([]);
    subscription.unsubscribe();
    const { streams } = await admin.jetstreamManager();
    expect((await streams.info(eventStream)).state.messages).toBe(0);
  });

  test('may do what the list says, to the letter', async () => {
    const { connection, refused } = await intrude(user);
    const { publish, subscribe } = natsPermissions[user];
    for (const subject of subscribe) connection.subscribe(subject, { callback: () => {} });
    // The content does not matter, only whether it is let through.
    for (const subject of publish) connection.publish(subject.replace(/>$/, 'x').replaceAll('*', 'x'), 'no JSON');
    await connection.flush();
    await setTimeout(200);
    expect(refused).toEqual([]);
    // Nobody may purge it.
    await (await admin.jetstreamManager()).streams.delete(eventStream);
    await ensureEventStream(admin, stream);
  });
});

// JetStream sends its confirmation with its own rights to any subject that a publisher names, and `{"stream":...,"seq":...}` is also
// a valid request to purge, or to delete a message.
test.each([api('STREAM.PURGE', eventStream), api('STREAM.MSG.DELETE', eventStream), api('STREAM.PURGE', keptStream)])(
  'the confirmation of an event does no harm as a request to %s',
  async (reply) => {
    const { streams, consumers } = await admin.jetstreamManager();
    await streams.delete(eventStream);
    await ensureEventStream(admin, { ...stream, keepMs: 3_600_000 });
    onTestFinished(async () => {
      await streams.delete(eventStream);
      await ensureEventStream(admin, stream);
    });
    const { connection } = await intrude('proxy');
    for (const event of ['one', 'two', 'three']) connection.publish(eventSubject, event, { reply });
    await connection.flush();
    const countAll = () =>
      Promise.all([eventStream, keptStream].map(async (name) => (await streams.info(name)).state.messages));
    await eventually(async () => expect((await streams.info(keptStream)).state.last_seq).toBe(3));
    await setTimeout(200);
    expect(await countAll()).toEqual([3, 3]);
    expect((await consumers.info(eventStream, writerConsumer)).num_pending).toBe(3);
  },
);

test('the services together pass an event from end to end, and nothing is refused', async () => {
  const refused: string[] = [];
  const open = (user: NatsUser) =>
    connectBus({
      url: urls[user],
      name: `agp-${user}`,
      onStatus: (status, detail) => refused.push(`${status} ${detail}`),
    });
  const [proxy, writer, operator] = await Promise.all([open('proxy'), open('writer'), open('operator')]);
  const outbox = new Outbox(proxy);
  outbox.add('one', 'one');
  await operator.jetstream().publish(eventSubject, 'two', { msgID: 'two' });
  const events: string[] = [];
  const consumer = new EventConsumer(writer, {
    stream,
    maxHeld: 1_000,
    onTrouble: (reason) => refused.push(reason),
    onEvent(event) {
      events.push(Buffer.from(event.bytes).toString());
      event.acknowledge();
    },
  });
  await eventually(() => expect(events.toSorted()).toEqual(['one', 'two']));
  expect(await outbox.drain(5_000)).toBe(0);
  await eventually(async () => expect(await readBacklog(writer)).toMatchObject({ pending: 0, unacknowledged: 0 }));
  expect(refused).toEqual([]);
  await consumer.drain();
  outbox.stop();
  await Promise.all([proxy.close(), writer.close(), operator.close()]);
});

test("a connection without a password, or with another user's, is refused", async () => {
  const { host, password } = new URL(urls.writer);
  await expect(connect({ servers: host })).rejects.toThrow('Authorization Violation');
  await expect(connect({ servers: host, user: 'proxy', pass: password })).rejects.toThrow('Authorization Violation');
});

test('a password with a special meaning to NATS is refused', () => {
  const passwords = { proxy: '$2a$11$abc', writer: 'w', management: 'm', operator: 'o' };
  expect(() => renderNatsConfig({ passwords, storeFolder: '/data' })).toThrow('NATS user proxy');
});
