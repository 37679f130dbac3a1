import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agp-daily-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function start(script: string) {
  const file = join(folder, 'command.mjs');
  writeFileSync(file, script);
  return spawn(process.execPath, [join(import.meta.dirname, 'run-daily.ts'), file, 'now'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test.each([
  ['succeeded', "console.log('ran ' + process.argv[2]);"],
  ['failed', "console.log('ran ' + process.argv[2]); process.exit(1);"],
  ['hangs', "console.log('ran ' + process.argv[2]); setTimeout(() => {}, 600_000);"],
])('a command runs at once, and a signal ends everything after it %s', async (_, script) => {
  const daily = start(script);
  const [output] = await once(daily.stdout, 'data');
  expect(String(output)).toBe('ran now\n');
  // It is not repeated soon, and the wait does not end by itself.
  const early = await Promise.race([once(daily, 'exit'), new Promise((resolve) => setTimeout(resolve, 500, 'waits'))]);
  expect(early).toBe('waits');
  daily.kill('SIGTERM');
  expect(await once(daily, 'exit')).toEqual([0, null]);
});
