import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Columns, type TablePrivileges, tablePrivileges } from '@agp/db/roles';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../workspace/run-tool.ts';

const page = readFileSync(join(workspaceFolder, 'docs/security.md'), 'utf8');

const describeColumns = (verb: string, columns: Columns | undefined) =>
  columns === undefined ? [] : [columns === 'all' ? verb : `${verb} ${columns.map((name) => `\`${name}\``).join(' ')}`];

/** A new event or agent is added whole, so which columns that takes is left out. */
function describePrivileges(privileges: TablePrivileges | undefined): string {
  if (privileges === undefined) return '-';
  return [
    ...describeColumns('read', privileges.select),
    ...(privileges.insert ? ['add'] : []),
    ...describeColumns('change', privileges.update),
    ...(privileges.delete ? ['delete'] : []),
  ].join('; ');
}

test('the page has what each role may do with each table, and nothing else', () => {
  const { proxy, writer, management } = tablePrivileges;
  const tables = new Set([proxy, writer, management].flatMap((role) => Object.keys(role)));
  const expected = [...tables]
    .sort()
    .map(
      (table) =>
        `| \`${table}\` | ${[proxy, writer, management].map((role) => describePrivileges(role[table])).join(' | ')} |`,
    );
  const section = page.split(/^## /m).find((each) => each.startsWith('Database roles\n')) ?? '';
  const rows = section.split('\n').filter((line) => /^\| `[a-z_]+` \|(?:[^|]+\|){3}$/.test(line));
  expect(rows).toEqual(expected);
});
