import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StartError } from '../start-error.ts';
import { claimDataFolder } from './data-folder.ts';

test('a second claim fails and names the process that has the folder, if that has written its pid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-claim-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  using _claim = claimDataFolder(folder);
  expect(() => claimDataFolder(folder)).toThrow(`(process ${process.pid})`);
  rmSync(join(folder, 'start.pid'));
  expect(() => claimDataFolder(folder)).toThrow(StartError);
});
