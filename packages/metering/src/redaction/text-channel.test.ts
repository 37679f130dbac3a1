import { createTextSearch } from '@agp/pii';
import { expect, test } from 'vitest';
import { TextChannel } from './text-channel.ts';

test('a key without end is not searched anew for each frame, and waits until it is known', () => {
  const search = createTextSearch(['private_key'], []);
  let searched = 0;
  const channel = new TextChannel({
    nsPerUnit: search.nsPerUnit,
    find: (text) => search.find(text),
    findOpen(text) {
      searched += text.length;
      return search.findOpen(text);
    },
  });
  const text = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n'.repeat(500)}`;
  const pieces = (text.match(/.{1,4}/gs) ?? []).map((part) => channel.add(part));
  expect(pieces.some(({ isClear }) => isClear)).toBe(false);
  expect(searched).toBeLessThan(100 * text.length);
  channel.end();
  expect(pieces.every(({ isClear, places }) => isClear && places.length === 1)).toBe(true);
});
