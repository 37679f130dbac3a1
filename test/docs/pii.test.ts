import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { piiTypes } from '@agp/pii';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../workspace/run-tool.ts';

const page = readFileSync(join(workspaceFolder, 'docs/pii.md'), 'utf8');

test('the page has every type of PII with its form, and no other', () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| ([a-z]+) \| [^|]+ \|$/gm)].map(([, name, form]) => [name, form]);
  const [, countries = ''] = /^`national_id_` .+ Countries are (.+)\.$/m.exec(page) ?? [];
  const nationalIds = [...countries.matchAll(/[a-z]{2}/g)].map(([country]) => [`national_id_${country}`, 'checksum']);
  expect(Object.fromEntries([...rows, ...nationalIds])).toEqual(
    Object.fromEntries(Object.entries(piiTypes).map(([name, { form }]) => [name, form])),
  );
});
