import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StartError } from '../start-error.ts';
import { choosePostgresAccount } from './postgres-account.ts';
import { placePostgres } from './postgres-folder.ts';

const account = choosePostgresAccount();

/** A folder that only we can enter, as a home folder is, and one that everyone can. */
function makeFolders() {
  const closed = mkdtempSync(join(tmpdir(), 'agp-closed-'));
  const outside = mkdtempSync(join(tmpdir(), 'agp-outside-'));
  chmodSync(outside, 0o755);
  onTestFinished(() => {
    for (const folder of [closed, outside]) rmSync(folder, { recursive: true, force: true });
  });
  return { clone: join(closed, 'clone'), outside };
}

const place = (clone: string, outside: string, password = 'one') =>
  placePostgres(join(clone, '.data'), account, password, outside);

test('the folder belongs to the user that Postgres runs as, and is the same at the next start', () => {
  const { clone, outside } = makeFolders();
  const first = place(clone, outside);
  expect(statSync(first.folder).uid).toBe(account?.uid ?? process.getuid?.());
  expect(place(clone, outside)).toEqual(first);
  // Only another user than ourselves needs a place outside of the closed folder.
  expect(first.folder.startsWith(outside)).toBe(account !== undefined);
});

test.runIf(account)('a clone that moves keeps its data; one with other secrets at the old path gets its own', () => {
  const { clone, outside } = makeFolders();
  const { folder } = place(clone, outside);
  renameSync(clone, `${clone}-moved`);
  expect(place(`${clone}-moved`, outside).folder).toBe(folder);
  expect(place(clone, outside, 'another').folder).not.toBe(folder);
});

test.runIf(account)('a folder that the user can reach is used where it is, and never begun anew elsewhere', () => {
  const { clone, outside } = makeFolders();
  const reachable = join(outside, 'clone');
  expect(place(reachable, outside).folder).toBe(join(reachable, '.data/postgres'));
  mkdirSync(join(reachable, '.data/postgres/data'));
  renameSync(reachable, clone);
  expect(() => place(clone, outside)).toThrow(StartError);
});
