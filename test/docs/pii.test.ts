import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { piiTypes } from '@agp/pii';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../workspace/run-tool.ts';

const page = readFileSync(join(workspaceFolder, 'docs/pii.md'), 'utf8');

test('the page has every type of PII, no other, with its description and form', () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| ([^|]+) \| ([a-z]+) \| [^|]+ \|$/gm)];
  const nationalIds = [...page.matchAll(/^- `(national_id_[a-z]{2})` (.+)$/gm)].map((found) => [...found, 'checksum']);
  expect(
    Object.fromEntries([...rows, ...nationalIds].map(([, name, description, form]) => [name, { description, form }])),
  ).toEqual(piiTypes);
});
