import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { StartError } from '../local-stack-config.ts';
import { claimDataFolder, makeDataFolder } from './data-folder.ts';

test('a second claim fails and names the process that has the folder, if that has written its pid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-claim-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  using _claim = claimDataFolder(folder);
  expect(() => claimDataFolder(folder)).toThrow(`(process ${process.pid})`);
  rmSync(join(folder, 'start.pid'));
  expect(() => claimDataFolder(folder)).toThrow(StartError);
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agp-data-'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('/nowhere/at/all', join(folder, 'link'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['file', 'a part of it is a file, not a folder'],
  ['file/within', 'a part of it is a file, not a folder'],
  ['link', 'no folder can be made there'],
  ['a\u0000b', 'null bytes'],
  ['x'.repeat(300), 'it is too long'],
  [`${'x/'.repeat(60_000)}x`, 'it is too long'],
])('a folder that cannot be made gets a sentence: %.20s', (name, reason) => {
  let said: unknown;
  try {
    makeDataFolder(join(folder, name));
  } catch (error) {
    said = error;
  }
  expect(said).toBeInstanceOf(StartError);
  expect((said as Error).message).toMatch(/^AGP_DATA_DIR: \/.* cannot be used: [^\n]*\.$/);
  expect((said as Error).message).toContain(reason);
  expect((said as Error).message.length).toBeLessThan(500);
});

test('a folder is made with those above it, and nothing is left in it', () => {
  const made = join(folder, 'a b', "c'd");
  makeDataFolder(made);
  makeDataFolder(made);
  expect(readdirSync(made)).toEqual([]);
});
