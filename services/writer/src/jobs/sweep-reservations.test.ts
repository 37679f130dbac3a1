import { randomUUIDv7 } from 'node:crypto';
import { firstUuidAt, toPublicId } from '@agp/core/ids';
import { addUnrecordedSpend, openDatabase, recordEvents } from '@agp/db';
import { connectRedis, createBudgetReservations, type Reservation } from '@agp/reservations';
import { eventually, startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { sweepReservations } from './sweep-reservations.ts';

const minuteMs = 60_000;

test('reservations of events recorded or set aside some time ago, today or yesterday, are given back; those of running requests stay', async () => {
  await using stack = await startTestStack({ redis: true });
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'sweep-test', pipeline: true });
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 5_000 });
  try {
    await eventually(() => expect(redis.status).toBe('ready'));
    const reservations = createBudgetReservations(redis);
    const agentId = randomUUIDv7();
    const now = Date.now();
    const [today, yesterday, longAgo] = [0, 1, 2].map((days) =>
      new Date(now - days * 86_400_000).toISOString().slice(0, 10),
    );
    const hold = async (day: string | undefined, eventId: string = randomUUIDv7()): Promise<Reservation> => {
      const reservation = { eventId, agentId, day: day ?? '', nanoUsd: 5 };
      await reservations.reserve(reservation, null);
      return reservation;
    };
    const record = ({ eventId, day }: Reservation) =>
      recordEvents(database.pool, [
        makeEvent({
          id: toPublicId('evt', eventId),
          agent_id: toPublicId('agt', agentId),
          timestamp: `${day}T12:00:00.000Z`,
        }),
      ]);
    const [recorded, ofYesterday, aside, running, ahead] = [
      await hold(today),
      await hold(yesterday),
      await hold(today),
      await hold(today),
      // By a proxy whose clock is two hours ahead.
      await hold(today, `${firstUuidAt(now + 120 * minuteMs).slice(0, 14)}${randomUUIDv7().slice(14)}`),
    ];
    await Promise.all([recorded, ofYesterday, ahead].map(record));
    await addUnrecordedSpend(database.pool, [{ ...aside, costNanoUsd: 5, reason: 'set_aside', request: null }]);
    const old = await hold(longAgo);

    // Of the others none is old enough at first.
    expect(await sweepReservations(reservations, database.pool, now)).toBe(1);
    const later = now + minuteMs;
    const sweeps = [1, 2].map(() => sweepReservations(reservations, database.pool, later));
    await Promise.all(sweeps);
    // A minute later it may be the next day: then today's are yesterday's.
    expect((await reservations.list(today ?? '', null)).map(({ eventId }) => eventId)).toEqual([running.eventId]);
    expect(await reservations.list(longAgo ?? '', null)).toMatchObject([{ eventId: old.eventId }]);
    if (new Date(later).toISOString().startsWith(today ?? '')) {
      expect(await reservations.list(yesterday ?? '', null)).toEqual([]);
    }
  } finally {
    redis.disconnect();
    await database.close();
  }
});
