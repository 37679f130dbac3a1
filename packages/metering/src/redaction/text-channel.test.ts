import { createTextSearch } from '@agp/pii';
import { labelPattern } from '@agp/pii/label';
import { expect, test } from 'vitest';
import { openSearch } from './redaction.ts';
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

test.each([
  '[email k7p2mz] is the address',
  ' [email k7p2mz]',
  '[[email k7p2mz], [email k7p2mz]]',
  '{[email k7p2mz]}',
  '{"to": [email k7p2mz]}',
  '["[email k7p2mz]", null, [email k7p2mz',
])('a label at the begin of %j is found whole at every split', (text) => {
  const whole = [...text.matchAll(labelPattern)].map(({ 0: label, index }) => [index, index + label.length]);
  for (let first = 0; first <= text.length; first++)
    for (let second = first; second <= text.length; second++) {
      const channel = new TextChannel(openSearch({ kinds: ['email'], patterns: [], findsLabels: true }));
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)].map((each) =>
        channel.add(each),
      );
      channel.end();
      const found: number[][] = [];
      for (const { start, end, isRest } of pieces.flatMap(({ places }) => places))
        if (isRest) (found.at(-1) as number[])[1] = end;
        else found.push([start, end]);
      expect(found, `split at ${first} and ${second}`).toEqual(whole);
    }
});
