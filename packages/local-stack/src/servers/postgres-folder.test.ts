import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { choosePostgresAccount } from '../binaries/postgres-account.ts';
import { MissingDataError, placePostgres } from './postgres-folder.ts';

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

/** Lets the data pass for what was last used so many days ago. */
function makeOlder(folder: string, days: number): void {
  const then = Date.now() / 1_000 - days * 86_400;
  utimesSync(join(dirname(folder), 'owner.json'), then, then);
}

test.runIf(account)(
  'a checkout that moves keeps its data through starts of others, also of one at its old path',
  () => {
    const { clone, outside } = makeFolders();
    const original = place(clone, outside);
    makeOlder(original.folder, 29);
    renameSync(clone, `${clone}-moved`);
    place(`${clone}-other`, outside);
    expect(place(clone, outside).folder).not.toBe(original.folder);
    expect(place(`${clone}-moved`, outside).folder).toBe(original.folder);
  },
);

test.runIf(account)('the data of a removed checkout goes at a start of any other once it is unused for a month', () => {
  const { clone, outside } = makeFolders();
  const kept = place(`${clone}-kept`, outside);
  const used = place(`${clone}-used`, outside);
  const gone = place(clone, outside);
  for (const { folder } of [kept, used, gone]) makeOlder(folder, 31);
  mkdirSync(join(used.folder, 'data/global'), { recursive: true });
  writeFileSync(join(used.folder, 'data/global/pg_control'), '');
  for (const removed of [`${clone}-used`, clone]) rmSync(removed, { recursive: true });
  place(`${clone}-other`, outside);
  expect([gone, used, kept].map(({ folder }) => existsSync(folder))).toEqual([false, true, true]);
});

test.runIf(account)('data that is gone is reported, not begun anew', () => {
  const { clone, outside } = makeFolders();
  rmSync(dirname(place(clone, outside).folder), { recursive: true });
  expect(() => place(clone, outside)).toThrow(MissingDataError);
});

test.runIf(account)(
  'a start that was cut short before it wrote the owner does not stand in the way of the next',
  () => {
    const { clone, outside } = makeFolders();
    const first = place(clone, outside);
    rmSync(join(dirname(first.folder), 'owner.json'));
    expect(place(clone, outside)).toEqual(first);
    expect(existsSync(join(dirname(first.folder), 'owner.json'))).toBe(true);
  },
);

test.runIf(account)('a folder that is reachable is used where it is', () => {
  const { outside } = makeFolders();
  mkdirSync(join(outside, 'clone'), { mode: 0o755 });
  expect(place(join(outside, 'clone'), outside).folder).toBe(join(outside, 'clone/.data/postgres'));
  expect(() => readlinkSync(join(outside, 'clone/.data/postgres'))).toThrow('EINVAL');
});
