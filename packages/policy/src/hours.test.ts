import { zoneSchema } from '@agp/documents/schema';
import { expect, test } from 'vitest';
import { parseHours } from './hours.ts';

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
