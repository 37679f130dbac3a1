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

/** For each folder what its files and folders import of each other. */
function listArrows(): Map<string, Map<string, Set<string>>> {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const [name, targets] of imports)
    for (const target of targets) {
      const [from, to] = [name.split('/'), target.split('/')];
      const depth = from.findIndex((part, at) => part !== to[at]);
      const [folder, room, other] = [from.slice(0, depth).join('/'), from[depth] ?? '', to[depth] ?? ''];
      const rooms = folders.get(folder) ?? new Map<string, Set<string>>();
      folders.set(folder, rooms.set(room, (rooms.get(room) ?? new Set()).add(other)));
    }
  return folders;
}

function reach(rooms: Map<string, Set<string>>, from: string, seen = new Set<string>()): Set<string> {
  for (const next of rooms.get(from) ?? []) if (!seen.has(next)) reach(rooms, next, seen.add(next));
  return seen;
}

test('no file or folder imports, by any way, what imports it', () => {
  const folders = listArrows();
  expect(folders.size).toBeGreaterThan(40);
  const circles = [...folders].flatMap(([folder, rooms]) =>
    [...rooms.keys()].filter((room) => reach(rooms, room).has(room)).map((room) => `${folder}/${room}`),
  );
  expect(circles).toEqual([]);
});

test('no file under 15 lines is there for one other file', () => {
  const importers = new Map<string, number>();
  for (const targets of imports.values())
    for (const target of targets) importers.set(target, (importers.get(target) ?? 0) + 1);
  const small = [...imports.keys()].filter((name) => {
    const lines = readFileSync(join(workspaceFolder, name), 'utf8').split('\n').length - 1;
    // Things of a list may be a file each.
    return (
      lines < 15 && importers.get(name) === 1 && !/\/(?:routes|steps|panels|migrations|jobs)\/|\/index\.ts$/.test(name)
    );
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
