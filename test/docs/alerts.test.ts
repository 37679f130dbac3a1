import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, ruleSchema } from '@agp/notifications';
import { readText } from '@agp/policy/yaml';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../workspace/run-tool.ts';
import { readSnippets } from './read-snippets.ts';

test('the example of the page is a rule, and its table has all that every rule may say', () => {
  const [example = ''] = readSnippets('docs/alerts.md', 'yaml');
  expect(readText(example, ruleSchema, 'rule').faults).toEqual([]);
  const page = readFileSync(join(workspaceFolder, 'docs/alerts.md'), 'utf8');
  const [table = ''] = page.split('### What rules look for');
  const rows = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const members = ruleSchema.options.flatMap(({ shape }) => {
    const own = Object.keys(kinds[shape.on.value].params);
    return Object.keys(shape).filter((name) => !own.includes(name));
  });
  expect(rows.sort()).toEqual([...new Set(members)].sort());
});
