import { connectBus, subscribeToAnnouncements } from '@agp/bus';
import type { EventAnnouncement } from '@agp/core/events';
import { eventually, startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { makeAnnounce } from '../src/announce.ts';

test('a batch is one announcement, a large one several that NATS takes, all of it in order and without gaps', async () => {
  await using stack = await startTestStack({ nats: true });
  const connection = await connectBus({ url: stack.natsUrl, name: 'announce-test' });
  const announcements: EventAnnouncement[] = [];
  let gaps = 0;
  subscribeToAnnouncements(
    connection,
    (announcement) => announcements.push(announcement),
    () => {
      gaps += 1;
    },
  );
  const announce = makeAnnounce({ connection, signal: new AbortController().signal, onFailure: () => {} });
  const small = Array.from({ length: 100 }, () => ({ event: makeEvent(), lineageHash: 'sha256:0' }));
  // As large as the schema lets them be: every text full of characters that JSON writes in six bytes.
  const huge = Array.from({ length: 100 }, () => ({
    event: makeEvent({
      model: '\u0001'.repeat(256),
      pii_types: Array.from({ length: 64 }, () => '\u0001'.repeat(64)),
    }),
    lineageHash: 'sha256:0',
  }));
  await announce({ recorded: small.slice(0, 60), known: small.slice(60) });
  await announce({ recorded: huge, known: [] });
  await announce({ recorded: [], known: [] });
  await eventually(() => expect(announcements.flatMap(({ events }) => events)).toHaveLength(200));
  expect(announcements[0]?.events).toHaveLength(100);
  expect(announcements.length).toBeGreaterThan(2);
  for (const announcement of announcements) {
    expect(Buffer.byteLength(JSON.stringify(announcement))).toBeLessThan(512 * 1024);
  }
  const ids = [...small, ...huge].map(({ event }) => event.id);
  expect(announcements.flatMap(({ events }) => events.map(({ id }) => id))).toEqual(ids);
  expect(gaps).toBe(0);
  await connection.close();
});
