import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyPristine, startOnFolder } from '@agp/testing/servers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openGuard } from '../guard/guard.ts';
import { StartError } from '../local-stack-config.ts';
import { removeStalePidFile } from './postgres.ts';
import { choosePostgresAccount, placePostgres } from './postgres-folder.ts';

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

const { postgres: kit } = inject('agpTestServers');

/** Starts a program as Postgres' user: only such a program keeps Postgres from starting. */
async function startStranger(): Promise<number> {
  const stranger = spawn('/bin/sh', ['-c', 'echo up; exec sleep 60'], { cwd: '/', ...kit.account });
  onTestFinished(() => void stranger.kill());
  await once(stranger.stdout, 'data');
  return stranger.pid as number;
}

test('Postgres starts after a crash although its old pid belongs to another program by now', async () => {
  await using guard = openGuard();
  const folder = await copyPristine(kit, guard);
  const stranger = await startStranger();
  writeFileSync(join(folder, 'postmaster.pid'), `${stranger}\n${folder}\n0\n1\n\n\n\n`);
  await expect(startOnFolder(folder, kit, guard)).rejects.toThrow('already exists');
  removeStalePidFile(folder);
  await startOnFolder(folder, kit, guard);
  expect(() => process.kill(stranger, 0)).not.toThrow();
});

test('the pid file of a Postgres that runs stays', async () => {
  await using guard = openGuard();
  const folder = await copyPristine(kit, guard);
  await startOnFolder(folder, kit, guard);
  removeStalePidFile(folder);
  expect(existsSync(join(folder, 'postmaster.pid'))).toBe(true);
});
