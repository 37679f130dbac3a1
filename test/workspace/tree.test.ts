import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from './list-files.ts';
import { workspaceFolder } from './run-tool.ts';

/** Sources with the files that they import by a path. */
const imports = new Map(
  listFiles()
    .filter(
      (name) =>
        /^(?:packages\/(?!testing)|services\/)[\w-]+\/src\/.*\.tsx?$/.test(name) && !/\.test\.ts$|\.d\.ts$/.test(name),
    )
    .map((name) => {
      const text = readFileSync(join(workspaceFolder, name), 'utf8');
      const paths = [...text.matchAll(/(?:from|import) '(\.[^']+)'|import\('(\.[^']+)'\)/g)];
      return [
        name,
        new Set(paths.map(([, from, lazy]) => normalize(join(dirname(name), from ?? lazy ?? '')))),
      ] as const;
    }),
);

test('no two folders beside each other import each other', () => {
  const arrows = new Set<string>();
  for (const [name, targets] of imports)
    for (const target of targets)
      if (dirname(dirname(name)) === dirname(dirname(target)) && dirname(name) !== dirname(target))
        arrows.add(`${dirname(name)} -> ${dirname(target)}`);
  expect(arrows.size).toBeGreaterThan(20);
  const pairs = [...arrows].filter((arrow) => arrow < arrow.split(' -> ').reverse().join(' -> '));
  const both = pairs.filter((arrow) => arrows.has(arrow.split(' -> ').reverse().join(' -> ')));
  expect(both).toEqual([]);
});

test('no file under 15 lines is there for one other file', () => {
  const importers = new Map<string, number>();
  for (const targets of imports.values())
    for (const target of targets) importers.set(target, (importers.get(target) ?? 0) + 1);
  const small = [...imports.keys()].filter((name) => {
    const lines = readFileSync(join(workspaceFolder, name), 'utf8').split('\n').length - 1;
    // Things of a list may be a file each.
    return lines < 15 && importers.get(name) === 1 && !/\/(?:routes|steps|panels|migrations)\/|\/index\.ts$/.test(name);
  });
  expect(small).toEqual([]);
});

test('the limits of a service stand in its limits.ts', () => {
  const elsewhere = [...imports.keys()].filter(
    (name) =>
      name.startsWith('services/') &&
      !name.endsWith('/limits.ts') &&
      /^(?:export )?const max[A-Z]/m.test(readFileSync(join(workspaceFolder, name), 'utf8')),
  );
  expect(elsewhere).toEqual([]);
});
