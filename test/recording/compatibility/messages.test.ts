import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventMessageSchema } from '@agp/core/events';
import { expect, test } from 'vitest';
import { z } from 'zod';

/*
 * Versions run side by side while one replaces the other, and a writer of 0.2.0 sets aside an event that has more members than
 * those of this file, or other values.
 */
test('a 0.2.0 writer takes what a proxy of today sends', () => {
  const file = join(import.meta.dirname, '0.2.0/event-message.schema.json');
  expect(z.toJSONSchema(eventMessageSchema)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});
