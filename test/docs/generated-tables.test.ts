import { expect, test } from 'vitest';
import { renderPages } from './generated-tables.ts';

test('the tables of variables are those of the code: npm run generate writes them', () => {
  for (const { file, before, after } of renderPages()) expect(before, file).toBe(after);
});
