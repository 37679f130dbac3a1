import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { recordEvents } from '../record-events/record-events.ts';
import { claimBill } from './doubtful.ts';

let database: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  database = openDatabase({ url: stack.databaseUrl, applicationName: 'claim-test', maxConnections: 8, pipeline: true });
  return async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

let bills = 0;
const newBill = () => `msgbatch_${bills++}`;
const claim = (bill: string, eventId: string, provider = 'anthropic') =>
  claimBill(database.pool, { provider, bill, eventId });

/** As if the claim had been made some days ago. */
const age = (bill: string, days: number) =>
  database.pool.query(
    'UPDATE claimed_bills SET claimed_at = claimed_at - make_interval(days => $2::int) WHERE bill = $1',
    [bill, days],
  );

test('the first event has the bill, later ones do not', async () => {
  const bill = newBill();
  expect(await claim(bill, randomUUIDv7())).toBe(true);
  expect(await claim(bill, randomUUIDv7())).toBe(false);
  expect(await claim(newBill(), randomUUIDv7())).toBe(true);
});

test('an event that claims again still has it', async () => {
  const [bill, first, second] = [newBill(), randomUUIDv7(), randomUUIDv7()];
  await claim(bill, first);
  expect(await claim(bill, first)).toBe(true);
  expect(await claim(bill, second)).toBe(false);
});

test('bills of the same name of two providers are two', async () => {
  const bill = newBill();
  expect(await claim(bill, randomUUIDv7(), 'anthropic')).toBe(true);
  expect(await claim(bill, randomUUIDv7(), 'vertex')).toBe(true);
});

test('of events that claim at the same time one has it', async () => {
  for (let round = 0; round < 20; round += 1) {
    const bill = newBill();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(bill, randomUUIDv7())));
    expect(claims.filter(Boolean)).toHaveLength(1);
  }
});

test('a claim is taken over once its event must have been lost, by one of those that want it', async () => {
  const [bill, lost] = [newBill(), randomUUIDv7()];
  await claim(bill, lost);
  expect(await claim(bill, randomUUIDv7())).toBe(false);
  await age(bill, 2);
  const claims = await Promise.all(Array.from({ length: 4 }, () => claim(bill, randomUUIDv7())));
  expect(claims.filter(Boolean)).toHaveLength(1);
  expect(await claim(bill, lost)).toBe(false);
});

test('a claim is final once its event is recorded', async () => {
  const [bill, uuid] = [newBill(), randomUUIDv7()];
  await claim(bill, uuid);
  await recordEvents(database.pool, [makeEvent({ id: toPublicId('evt', uuid) })]);
  await age(bill, 100);
  expect(await claim(bill, randomUUIDv7())).toBe(false);
});
