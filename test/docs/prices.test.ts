import { parsePriceFile } from '@agp/catalogue';
import { expect, test } from 'vitest';
import { readSnippets } from './read-snippets.ts';

test('the example of a price file is one', () => {
  const [example = '', ...more] = readSnippets('docs/configuration.md', 'json prices');
  expect(more).toEqual([]);
  expect(parsePriceFile(example).entries.map(({ model }) => model)).toEqual(['llama-4-scout-tuned', '*', 'gpt-5*']);
});
