import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { type Database, openDatabase, recordEvents } from '@agp/db';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createStorage } from '../storage/storage.ts';
import { makeForgetRecorded, OwnReservations } from './own-reservations.ts';

const day = '2026-03-01';
const lateMs = 30_001;
/** As the services' users. */
let [proxy, writer] = [] as unknown as [Database, Database];
let own: OwnReservations;
let asked: number[];
let round: () => Promise<void>;

beforeAll(async () => {
  const stack = await startTestStack();
  const open = (databaseUrl: string) =>
    openDatabase({ url: databaseUrl, applicationName: 'forget-test', pipeline: true });
  proxy = open(stack.urls.proxy.databaseUrl);
  writer = open(stack.urls.writer.databaseUrl);
  return async () => {
    await Promise.all([proxy.close(), writer.close()]);
    await stack[Symbol.asyncDispose]();
  };
});

beforeEach(() => {
  own = new OwnReservations();
  asked = [];
  const storage = createStorage(proxy.pool, () => {});
  const forgetRecorded = makeForgetRecorded(own, {
    findRecorded: (eventIds) => {
      asked.push(eventIds.length);
      return storage.findRecorded(eventIds);
    },
  });
  round = () => forgetRecorded(lateMs);
});

/** Reservations of events that JetStream has had for long. */
function confirm(count: number): string[] {
  const eventIds = Array.from({ length: count }, () => randomUUIDv7());
  for (const eventId of eventIds) {
    own.add({ eventId, agentId: 'a', day, nanoUsd: 1 });
    own.confirm(eventId, 0);
  }
  return eventIds;
}

const record = (eventIds: readonly string[]) =>
  recordEvents(
    writer.pool,
    eventIds.map((eventId) => makeEvent({ id: toPublicId('evt', eventId), timestamp: `${day}T12:00:00.000Z` })),
  );

const listHeld = () => own.list(day, null).map(({ eventId }) => eventId);

test('where writers keep up, a few events are looked for and all are forgotten, but for those that run', async () => {
  own.add({ eventId: randomUUIDv7(), agentId: 'a', day, nanoUsd: 1 });
  await round();
  expect(asked).toEqual([]);
  await record(confirm(3_000));
  await round();
  expect(asked.length).toBe(1);
  expect(asked[0]).toBeLessThanOrEqual(201);
  expect(listHeld()).toHaveLength(1);
});

test('where one lane of a writer hangs, nothing of it is forgotten', async () => {
  const eventIds = confirm(1_000);
  const hanging = eventIds.filter((_, index) => index % 16 === 3);
  await record(eventIds.filter((eventId) => !hanging.includes(eventId)));
  await round();
  expect(listHeld()).toEqual(hanging);
});

test('what no writer has recorded stays, however often it is looked for; nor is more forgotten while storage is away', async () => {
  const eventIds = confirm(5_000);
  for (let count = 0; count < 4; count += 1) await round();
  expect(listHeld()).toEqual(eventIds);
  expect(Math.max(...asked)).toBe(2_000);
  const failing = makeForgetRecorded(own, { findRecorded: () => Promise.reject(new Error('away')) });
  await expect(failing(lateMs)).rejects.toThrow('away');
  expect(listHeld()).toEqual(eventIds);
});

test('of many that wait, all that are recorded are found in a few rounds, wherever they are in between', async () => {
  const eventIds = confirm(5_000);
  const recorded = eventIds.filter((_, index) => index % 10 === 3 || index > 4_900);
  await record(recorded);
  const waiting = eventIds.filter((eventId) => !recorded.includes(eventId));
  for (let count = 0; count < 3; count += 1) await round();
  expect(listHeld()).toEqual(waiting);
  await record(waiting);
  await round();
  expect(listHeld()).toEqual([]);
});
