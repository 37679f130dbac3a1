import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeEvent, eventMessageSchema } from '@agp/core/events';
import { makeEvent } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { z } from 'zod';

/*
 * Neighbouring releases run side by side while one replaces the other. The schema in 0.3.0 is that of its writers, as it was released:
 * they leave out members that they do not know, and set aside an event that lacks one of theirs or has another value in it.
 */
test('a 0.3.0 writer takes what a proxy of today sends', () => {
  const file = join(import.meta.dirname, '0.3.0/event-message.schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8'));
  const now = z.toJSONSchema(eventMessageSchema, { io: 'input' });
  // What a proxy may put into a member that a 0.3.0 writer knows has not grown.
  for (const [name, member] of Object.entries(schema.properties))
    expect([name, now.properties?.[name]]).toEqual([name, member]);
  const old = z.fromJSONSchema(schema);
  const pii_findings = [{ in: 'request' as const, message: 0, type: 'email' }];
  const sent = JSON.parse(JSON.stringify(makeEvent({ request_id: 'req_1', failure: 'tls', pii_findings })));
  expect(old.safeParse(sent).error).toBeUndefined();
});

test('an egress proxy that failed is told in a member that a 0.3.0 writer leaves out', () => {
  const sent = JSON.parse(encodeEvent(makeEvent({ failure: 'proxy', endpoint: 'east' })));
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '0.3.0/event-message.schema.json'), 'utf8'));
  expect(z.fromJSONSchema(schema).safeParse(sent)).toMatchObject({ success: true, data: { failure: 'unreachable' } });
  const { success, data } = eventMessageSchema.safeParse(sent);
  expect([success, data?.failure, data?.endpoint]).toEqual([true, 'proxy', 'east']);
  expect(data).not.toHaveProperty('failed_at');
});

test('a writer of today takes what a 0.3.0 proxy sends', () => {
  const file = join(import.meta.dirname, '0.3.0/event.json');
  expect(eventMessageSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).error).toBeUndefined();
});
