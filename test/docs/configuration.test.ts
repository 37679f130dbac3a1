import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { managementConfigSchema } from '../../services/management/src/config.ts';
import { proxyConfigSchema } from '../../services/proxy/src/config.ts';
import { writerConfigSchema } from '../../services/writer/src/config.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';

const page = readFileSync(join(workspaceFolder, 'docs/configuration.md'), 'utf8');

/** The first table under a heading: each variable with what the page says it is without a value. */
function readTable(heading: string): Map<string, string> {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|/gm)];
  return new Map(rows.map(([, name = '', value = '']) => [name, value.replaceAll('`', '').trim()]));
}

/** What the schema takes for a variable that is not set: its default as text, `unset`, or `required`. */
function describeDefault(field: z.ZodType): string {
  const parsed = field.safeParse(undefined);
  if (!parsed.success) return 'required';
  return parsed.data === undefined ? 'unset' : String(parsed.data);
}

function readSchema(schema: z.ZodObject): Map<string, string> {
  return new Map(
    Object.entries(schema.shape).map(([key, field]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
      describeDefault(field as z.ZodType),
    ]),
  );
}

test.each([
  ['Proxy', proxyConfigSchema],
  ['Writer', writerConfigSchema],
  ['Management', managementConfigSchema],
] as const)('%s: the page has every variable, no other, and its default', (heading, schema) => {
  const known = readSchema(schema);
  expect(known.size).toBeGreaterThan(5);
  expect(Object.fromEntries([...readTable(heading)].sort())).toEqual(Object.fromEntries([...known].sort()));
});
