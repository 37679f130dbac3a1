import { expect, test } from 'vitest';
import { findWindow, isWindow } from './windows.ts';

const iso = (time: number) => new Date(time).toISOString().replace('.000Z', 'Z');

test.each([
  ['day', 'UTC', '2026-11-27T23:59:59.999Z', '2026-11-27T00:00:00Z', '2026-11-28T00:00:00Z'],
  ['week', 'UTC', '2026-11-29T23:59:59.999Z', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
  ['week', 'UTC', '2026-11-30T00:00:00Z', '2026-11-30T00:00:00Z', '2026-12-07T00:00:00Z'],
  ['month', 'UTC', '2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['day', 'UTC', '2028-02-29T12:00:00Z', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['month', 'UTC', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  // Half an hour beside UTC's hours, and the other side of the date line.
  ['day', 'Asia/Kolkata', '2026-11-27T18:29:59.999Z', '2026-11-26T18:30:00Z', '2026-11-27T18:30:00Z'],
  ['month', 'Asia/Kolkata', '2026-11-30T18:30:00Z', '2026-11-30T18:30:00Z', '2026-12-31T18:30:00Z'],
  ['month', 'Pacific/Kiritimati', '2026-11-30T10:00:00Z', '2026-11-30T10:00:00Z', '2026-12-31T10:00:00Z'],
  // Days of 25 and 23 hours, and one that begins at one o'clock.
  ['day', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['month', 'Europe/Berlin', '2026-10-31T12:00:00Z', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'],
  ['week', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-18T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['day', 'Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  ['rolling:24', 'UTC', '2026-11-27T12:34:56Z', '2026-11-26T13:00:00Z', '2026-11-27T13:00:00Z'],
  ['rolling:1', 'UTC', '2026-11-27T12:00:00Z', '2026-11-27T12:00:00Z', '2026-11-27T13:00:00Z'],
])('%s in %s at %s', (window, zone, at, from, to) => {
  for (const time of [Date.parse(at), Date.parse(from), Date.parse(to) - 1]) {
    if (window.startsWith('rolling') && time < Date.parse(to) - 3_600_000) continue;
    const found = findWindow(window, zone, time);
    expect([iso(found.from), iso(found.to)]).toEqual([from, to]);
  }
  expect(findWindow(window, zone, Date.parse(to)).from).toBeGreaterThan(Date.parse(from));
});

test.each(['day', 'session', 'rolling:744'])('%s is a window', (window) => expect(isWindow(window)).toBe(true));
test.each(['year', 'rolling', 'rolling:0', 'rolling:745', 'rolling:1.5', 'toString', 'day '])('%s is none', (window) =>
  expect(isWindow(window)).toBe(false),
);
