import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from './list-files.ts';
import { workspaceFolder } from './run-tool.ts';

const files = listFiles().map((path) => ({ path, text: readFileSync(join(workspaceFolder, path), 'utf8') }));

/** The files in which the text stands, each with the lines. */
function findText(needle: string | RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const found = typeof needle === 'string' ? line.includes(needle) : needle.test(line);
      return found ? [`${path}:${index + 1}: ${line.trim().slice(0, 160)}`] : [];
    }),
  );
}

test('the lock file names no address, so that any registry serves it', () => {
  const lock = files.find(({ path }) => path === 'pnpm-lock.yaml');
  expect(lock?.text.length).toBeGreaterThan(10_000);
  const lines = lock?.text.split('\n').filter((line) => /tarball:|registry/i.test(line));
  expect(lines).toEqual([]);
  expect(findText(/resolution:.*https?:/)).toEqual([]);
});

test('no file names the registry that this machine uses', () => {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    cwd: workspaceFolder,
  }).trim();
  expect(findText(new URL(registry).host)).toEqual([]);
});

test('no file names a path or the name of this machine', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(findText(workspaceFolder)).toEqual([]);
  // A home folder as short as / would be in every file.
  if (homedir().length > 1) expect(findText(`${homedir()}/`)).toEqual([]);
  // Names such as localhost or runner are words that files may use.
  if (/\d/.test(hostname())) expect(findText(hostname())).toEqual([]);
});
