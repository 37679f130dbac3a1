/*
 * Versions run side by side while one replaces the other: a writer gets events from proxies of the version before, and of the one
 * behind it. The files were made by the services of 0.1.0, on the wire.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackEvents } from '@agp/bus';
import { type EventMessage, eventAnnouncementSchema, eventMessageSchema } from '@agp/core/events';
import { openDatabase, recordEvents } from '@agp/db';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { z } from 'zod';

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '0.1.0', name), 'utf8'));
const readEvents = (): EventMessage[] =>
  (read('event-messages.json') as string[])
    .flatMap((message) => unpackEvents(Buffer.from(message)))
    .map((bytes) => eventMessageSchema.parse(JSON.parse(Buffer.from(bytes).toString())));

test('messages of a 0.1.0 proxy are recorded as they are', async () => {
  const events = readEvents();
  expect(events).toHaveLength(10);
  await using stack = await startTestStack();
  const { databaseUrl } = stack.urls.writer;
  const database = openDatabase({ url: databaseUrl, applicationName: 'test', maxConnections: 1, pipeline: true });
  try {
    const { recorded } = await recordEvents(database.pool, events);
    const byId = (a: EventMessage, b: EventMessage) => (a.id < b.id ? -1 : 1);
    expect(recorded.map(({ event }) => event).sort(byId)).toEqual(events.toSorted(byId));
  } finally {
    await database.close();
  }
});

test('announcements of a 0.1.0 writer are understood', () => {
  const announcements = z
    .array(eventAnnouncementSchema)
    .parse((read('announcements.json') as string[]).map((text) => JSON.parse(text)));
  expect(announcements.flatMap(({ events }) => events).length).toBeGreaterThan(3);
});

/** A writer of 0.1.0 sets aside an event that has more members than these, or other values. */
test('a 0.1.0 writer takes what a proxy of today sends', () => {
  expect(z.toJSONSchema(eventMessageSchema)).toEqual(read('event-message.schema.json'));
  expect(Object.keys(makeEvent()).sort()).toEqual(Object.keys(readEvents()[0] as EventMessage).sort());
});
