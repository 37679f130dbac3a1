import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { OwnReservations } from './own-reservations.ts';

const day = '2026-03-01';
const now = Date.parse('2026-03-01T12:00:10.000Z');
const make = (agentId: string, nanoUsd: number, ofDay = day) => ({
  eventId: randomUUID(),
  agentId,
  day: ofDay,
  nanoUsd,
});

test('a placed reservation gets the amounts that its process holds for the day, and counts after them', () => {
  const own = new OwnReservations();
  const [first, second, other, yesterday] = [make('a', 5), make('a', 7), make('b', 11), make('a', 100, '2026-02-28')];
  for (const one of [first, second, other, yesterday]) own.add(one);
  expect(own.placeLast(first.eventId, null, now)).toMatchObject({ earlier: [7, 18] });
  expect(own.placeLast(second.eventId, null, now)).toMatchObject({ earlier: [5, 16] });
  const seqOf = (eventId: string) => own.list(day, null).find((held) => held.eventId === eventId)?.seq ?? 0;
  expect(seqOf(second.eventId)).toBeGreaterThan(seqOf(first.eventId));
  expect(own.list(day, 'b')).toMatchObject([{ eventId: other.eventId, nanoUsd: 11 }]);
  expect(own.remove(first.eventId)).toMatchObject(first);
  expect(own.remove(first.eventId)).toBeUndefined();
  expect(own.list(day, 'a')).toHaveLength(1);
  expect(() => own.placeLast(first.eventId, null, now)).toThrow('only what was added');
});

test('a reservation whose event JetStream has is no longer renewed, and counts until it is recorded', () => {
  const own = new OwnReservations();
  const [running, confirmed] = [make('a', 5), make('a', 7)];
  own.add(running);
  own.add(confirmed);
  expect(own.confirm(confirmed.eventId, now)).toMatchObject(confirmed);
  expect(own.confirm(randomUUID(), now)).toBeUndefined();
  expect(own.listUnconfirmed().map(({ eventId }) => eventId)).toEqual([running.eventId]);
  expect(own.listOverdue(now + 30_000)).toEqual([]);
  expect(own.listOverdue(now + 3_600_000)).toEqual([confirmed.eventId]);
  expect(own.list(day, null)).toHaveLength(2);
  own.forget([confirmed.eventId]);
  expect(own.list(day, null)).toMatchObject([{ eventId: running.eventId }]);
});

test('a known cost counts in place of what was reserved, until it is released', () => {
  const own = new OwnReservations();
  const [known, other] = [make('a', 5), make('a', 7)];
  for (const one of [known, other]) own.add(one);
  expect(own.amend(known.eventId, 100, 0)).toMatchObject({ nanoUsd: 100 });
  expect(own.amend(known.eventId, 90, 0)).toBeNull();
  expect(own.amend(known.eventId, 100, 0)).toMatchObject({ nanoUsd: 100 });
  expect(own.placeLast(other.eventId, null, now)).toMatchObject({ earlier: [100, 100] });
  own.remove(known.eventId);
  expect(own.amend(known.eventId, 100, 0)).toBeNull();
  expect(own.placeLast(other.eventId, null, now)).toMatchObject({ earlier: [0, 0] });
});

test('events that no writer records are remembered for an hour, and the newest 20,000 of them', () => {
  const own = new OwnReservations();
  const [late, running] = [make('a', 1), make('a', 5)];
  own.add(late);
  own.add(running);
  own.confirm(late.eventId, now - 3_600_001);
  const all = Array.from({ length: 20_010 }, () => make('a', 1));
  for (const one of all) own.add(one);
  for (const { eventId } of all) own.confirm(eventId, now);
  expect(own.listOverdue(now + 30_001)).toEqual(all.slice(10).map(({ eventId }) => eventId));
  expect(own.list(day, null)).toHaveLength(20_001);
  expect(own.has(running.eventId)).toBe(true);
  expect(own.placeLast(running.eventId, null, now)).toMatchObject({ earlier: [20_000, 20_000] });
  expect(own.listOverdue(now + 3_600_001)).toEqual([]);
  expect(own.placeLast(running.eventId, null, now)).toMatchObject({ earlier: [0, 0] });
  expect(own.list(day, null)).toMatchObject([{ eventId: running.eventId }]);
});

test('requests of a minute are counted for each agent, anew with each minute', () => {
  const own = new OwnReservations();
  const place = (agentId: string, at: number) => {
    const reservation = make(agentId, 0);
    own.add(reservation);
    return own.placeLast(reservation.eventId, 2, at);
  };
  expect([place('a', now), place('a', now), place('b', now)].map((placed) => 'seq' in placed)).toEqual([
    true,
    true,
    true,
  ]);
  expect(place('a', now + 5_000)).toEqual({ resetSeconds: 45 });
  expect('seq' in place('a', now + 50_000)).toBe(true);
});
