import { expect, test } from 'vitest';
import { readHours, writeHours } from './week-hours.ts';

test.each([
  ['Mon-Fri 08:00-18:00', 'Mon-Fri 08:00-18:00'],
  ['Mon 08:00-18:00, Tue 08:00-18:00, Sun 08:00-18:00', 'Mon-Tue 08:00-18:00, Sun 08:00-18:00'],
  ['fri-mon 22:00-06:00', 'Mon 22:00-06:00, Fri-Sun 22:00-06:00'],
  ['Wed 00:00-24:00', 'Wed 00:00-00:00'],
  ['Tue 09:00-12:00, Mon 08:00-12:00', 'Mon 08:00-12:00, Tue 09:00-12:00'],
  [
    'Mon-Fri 08:00-12:00, Mon-Thu 13:00-17:00, Sat 13:00-17:00',
    'Mon-Fri 08:00-12:00, Mon-Thu 13:00-17:00, Sat 13:00-17:00',
  ],
])('hours %s are shown by their days', (text, written) => {
  expect(writeHours(readHours(text))).toBe(written);
});
