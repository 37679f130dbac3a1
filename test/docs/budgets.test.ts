import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { budgetSchema } from '@agp/budgets';
import { readText } from '@agp/documents/yaml';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../workspace/run-tool.ts';
import { readSnippets } from './read-snippets.ts';

test('the example of the page is a budget, and its table has all that a budget may say', () => {
  const [example = '', ...more] = readSnippets('docs/budgets.md', 'yaml');
  expect([readText(example, budgetSchema, 'budget').faults, more]).toEqual([[], []]);
  const page = readFileSync(join(workspaceFolder, 'docs/budgets.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(Object.keys(budgetSchema.shape).sort());
});
