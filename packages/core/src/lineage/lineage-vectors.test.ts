import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventMessageSchema } from '../events/event-message.ts';
import { headAfter, link } from './build-payload.ts';
import { emptyHead } from './chain.ts';

const folder = join(import.meta.dirname, '../../../../test/vectors');
const valid = readdirSync(folder).filter((name) => /^valid-.*\.json$/.test(name));

test.each(valid)('linking the events of %s gives its entries', (name) => {
  const { events, entries } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  let head = emptyHead;
  const linked = eventMessageSchema
    .array()
    .parse(events)
    .map((event) => {
      const place = link(head, event);
      head = headAfter(place);
      return { seq: place.seq, event_id: event.id, lineage_hash: place.lineageHash, payload: place.payload };
    });
  expect(linked).toEqual(entries);
});
