import { createPiiFinder } from '@agp/pii';
import { expect, test } from 'vitest';
import { hardNegatives, providerIds } from './hard-negatives.ts';

const texts = Object.entries(hardNegatives).flatMap(([kind, list]) => list.map((text) => ({ kind, text })));

test('at most two of two hundred hard negatives give a false alarm', () => {
  const find = createPiiFinder();
  const alarms = texts.flatMap(({ kind, text }) =>
    find(text).map(({ type, start, end }) => `${kind}: ${type} ${JSON.stringify(text.slice(start, end))} in ${text}`),
  );
  if (alarms.length > 0) console.log(`false alarms:\n${alarms.join('\n')}`);
  expect(new Set(texts.map(({ text }) => text)).size).toBe(200);
  expect(alarms.length).toBeLessThanOrEqual(2);
});

test('no id of a provider is taken for personal data', () => {
  const find = createPiiFinder();
  expect(providerIds.filter((id) => find(id).length > 0)).toEqual([]);
});
