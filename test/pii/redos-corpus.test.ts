import { createPersonNameDetector } from '@agp/metering/person-names';
import { createPiiFinder } from '@agp/pii';
import { expect, test } from 'vitest';
import { redosCorpus } from './redos-corpus.ts';

const find = createPiiFinder({ personNames: createPersonNameDetector() });

test('there are at least a hundred hostile texts, each another one', () => {
  expect(redosCorpus.length).toBeGreaterThanOrEqual(100);
  expect(new Set(redosCorpus.map(({ make }) => make(4_000))).size).toBe(redosCorpus.length);
});

// How long it takes is for `npm run check:pii-linear`: here, that each is read to its end and what stands behind is still found.
test.each(redosCorpus)('$name', ({ make }) => {
  const text = make(4_000);
  expect(text).toHaveLength(4_000);
  const found = find(`${text}\n\n\n\nWrite to me@example.org\n`);
  expect(found.at(-1)).toEqual({ type: 'email', start: 4_013, end: 4_027 });
});
