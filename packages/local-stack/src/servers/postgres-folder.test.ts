import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { choosePostgresAccount } from '../binaries/postgres-account.ts';
import { placePostgres, removeOrphans } from './postgres-folder.ts';

const account = choosePostgresAccount();

/** A folder that only we can enter, as a home folder is, and one that everyone can. */
function makeFolders() {
  const closed = mkdtempSync(join(tmpdir(), 'agp-closed-'));
  const outside = mkdtempSync(join(tmpdir(), 'agp-outside-'));
  spawnSync('chmod', ['755', outside]);
  onTestFinished(() => {
    for (const folder of [closed, outside]) rmSync(folder, { recursive: true, force: true });
  });
  return { clone: join(closed, 'clone'), outside };
}

const place = (clone: string, outside: string) => placePostgres(join(clone, '.data'), account, outside);

test('the folder can be written to by the user that Postgres runs as, and is the same at the next start', () => {
  const { clone, outside } = makeFolders();
  const first = place(clone, outside);
  expect(statSync(first.folder).uid).toBe(account?.uid ?? process.getuid?.());
  expect(place(clone, outside)).toEqual(first);
  // Only another user than ourselves needs a place outside of the closed folder.
  expect(first.folder.startsWith(outside)).toBe(account !== undefined);
});

test.runIf(account)('a checkout that moves keeps its data, a copy of it gets data of its own', () => {
  const { clone, outside } = makeFolders();
  const original = place(clone, outside);
  cpSync(clone, `${clone}-copy`, { recursive: true, verbatimSymlinks: true });
  expect(place(`${clone}-copy`, outside).folder).not.toBe(original.folder);
  renameSync(clone, `${clone}-moved`);
  expect(place(`${clone}-moved`, outside).folder).toBe(original.folder);
  expect(existsSync(original.folder)).toBe(true);
});

test.runIf(account)('the data of a checkout that was removed is removed at the next start of any other', () => {
  const { clone, outside } = makeFolders();
  const kept = place(`${clone}-kept`, outside);
  const gone = place(clone, outside);
  rmSync(clone, { recursive: true });
  removeOrphans(outside);
  expect([existsSync(gone.folder), existsSync(kept.folder)]).toEqual([false, true]);
});

test.runIf(account)('a folder that is reachable is used where it is', () => {
  const { outside } = makeFolders();
  mkdirSync(join(outside, 'clone'), { mode: 0o755 });
  expect(place(join(outside, 'clone'), outside).folder).toBe(join(outside, 'clone/.data/postgres'));
  expect(() => readlinkSync(join(outside, 'clone/.data/postgres'))).toThrow('EINVAL');
});
