import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLogFile } from './logs.ts';

function makeLogFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'some.log');
}

test('a line that cannot be written is dropped, and later ones are written once that is possible', async () => {
  const file = makeLogFile();
  mkdirSync(file);
  const write = openLogFile(file);
  write('lost');
  await new Promise((resolve) => setTimeout(resolve, 100));
  rmdirSync(file);
  write('kept');
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toBe('kept\n');
});

test.runIf(existsSync('/dev/full'))('a full disk causes no failure', async () => {
  const write = openLogFile('/dev/full');
  for (const line of ['one', 'two']) {
    write(line);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
