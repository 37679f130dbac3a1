import { zoneSchema } from '@agp/documents/schema';
import { expect, test } from 'vitest';
import { isWithin, openClock, parseHours } from './hours.ts';

function isOpen(hours: string, zone: string, at: string): boolean {
  return isWithin(parseHours(hours) ?? [], openClock(zone)(new Date(at)));
}

const office = 'Mon-Fri 08:00-18:00, Sat 09:00-12:00';
// 2026-11-23 is a Monday.
test.each([
  [office, 'UTC', '2026-11-23T07:59:59Z', false],
  [office, 'UTC', '2026-11-23T08:00:00Z', true],
  [office, 'UTC', '2026-11-23T17:59:59Z', true],
  [office, 'UTC', '2026-11-23T18:00:00Z', false],
  [office, 'UTC', '2026-11-28T11:59:00Z', true],
  [office, 'UTC', '2026-11-29T10:00:00Z', false],
  [office, 'Europe/Berlin', '2026-11-23T07:00:00Z', true],
  [office, 'America/New_York', '2026-11-23T12:59:00Z', false],
  [office, 'Asia/Kolkata', '2026-11-23T02:30:00Z', true],
  // Monday 08:30 in Auckland is still Sunday in London.
  [office, 'Pacific/Auckland', '2026-11-22T19:30:00Z', true],
  // Over midnight and over the end of the week.
  ['Fri 22:00-06:00', 'UTC', '2026-11-28T05:59:00Z', true],
  ['Fri 22:00-06:00', 'UTC', '2026-11-28T06:00:00Z', false],
  ['Fri 22:00-06:00', 'UTC', '2026-11-27T05:00:00Z', false],
  ['Sun 22:00-06:00', 'UTC', '2026-11-23T05:59:00Z', true],
  ['Sun 22:00-06:00', 'UTC', '2026-11-23T06:00:00Z', false],
  ['Sat-Mon 00:00-24:00', 'UTC', '2026-11-29T23:59:59Z', true],
  ['Sat-Mon 00:00-24:00', 'UTC', '2026-11-24T00:00:00Z', false],
  // The clocks of Berlin: from 01:00 UTC on 29 March two hours ahead, from 25 October one.
  ['Sun 02:00-03:00', 'Europe/Berlin', '2026-03-29T00:59:00Z', false],
  ['Sun 03:00-04:00', 'Europe/Berlin', '2026-03-29T01:00:00Z', true],
  ['Mon-Fri 08:00-09:00', 'Europe/Berlin', '2026-03-27T07:30:00Z', true],
  ['Mon-Fri 08:00-09:00', 'Europe/Berlin', '2026-03-30T07:30:00Z', false],
  ['Mon-Fri 08:00-09:00', 'Europe/Berlin', '2026-03-30T06:30:00Z', true],
  // The hour that is there twice is open twice.
  ['Sun 02:00-03:00', 'Europe/Berlin', '2026-10-25T00:30:00Z', true],
  ['Sun 02:00-03:00', 'Europe/Berlin', '2026-10-25T01:30:00Z', true],
  ['Sun 02:00-03:00', 'Europe/Berlin', '2026-10-25T02:00:00Z', false],
])('%s in %s is open at %s: %s', (hours, zone, at, expected) => {
  expect(isOpen(hours, zone, at)).toBe(expected);
});

test.each([
  '',
  'Mon',
  'Mon 8:00-18:00',
  'Mon 08:00-25:00',
  'Mon 24:00-01:00',
  'Mon 08:00-08:00',
  'Mun 08:00-09:00',
  'Mon 08:00-18:00,',
  'Mon 08:60-09:00',
])('the hours %j cannot be read', (hours) => expect(parseHours(hours)).toBe(null));

test('zones are those of the time zone database', () => {
  const isZone = (text: string) => zoneSchema.safeParse(text).success;
  expect(['Europe/Berlin', 'UTC', 'Mars/Base', '', '+99:00'].map(isZone)).toEqual([true, true, false, false, false]);
});
