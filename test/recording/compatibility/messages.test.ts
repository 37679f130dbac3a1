import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeEvent, eventMessageSchema, eventNotesSchema } from '@agp/core/events';
import { makeEvent } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { z } from 'zod';

/*
 * Versions run side by side while one replaces the other, and a writer of 0.2.0 sets aside an event that has more members than
 * those of this file, or other values.
 */
test('a 0.2.0 writer takes what a proxy of today sends', () => {
  const file = join(import.meta.dirname, '0.2.0/event-message.schema.json');
  const old = JSON.parse(readFileSync(file, 'utf8'));
  const now = z.toJSONSchema(eventMessageSchema);
  // These travel in a header, which it does not read.
  for (const note of Object.keys(eventNotesSchema.shape)) delete now.properties?.[note];
  expect(now).toEqual(old);
  const pii_findings = [{ in: 'request' as const, message: 0, type: 'email' }];
  const { event, notes } = encodeEvent(makeEvent({ request_id: 'req_1', failure: 'tls', pii_findings }));
  expect(Object.keys(JSON.parse(event)).sort()).toEqual(Object.keys(old.properties).sort());
  expect(JSON.parse(notes ?? '')).toEqual({ request_id: 'req_1', failure: 'tls', pii_findings });
});

test('a writer of today takes what a 0.2.0 proxy sends', () => {
  expect(eventMessageSchema.safeParse(JSON.parse(encodeEvent(makeEvent()).event)).error).toBeUndefined();
  expect(encodeEvent(makeEvent()).notes).toBeNull();
});
