import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeLogLine, openLogFile, readFatalReason } from './logs.ts';

test.for([
  ['{"level":"info","msg":"hello"}', null],
  [
    '{"level":"warn","time":"now","pid":1,"msg":"slow","ms":12,"table":"events"}',
    'writer warn: slow ms=12 table=events',
  ],
  ['{"level":"error","msg":"lost","cause":{"code":"X"}}', 'writer error: lost cause={"code":"X"}'],
  ['    at main.ts:1', 'writer:     at main.ts:1'],
  // A name chosen by an agent cannot forge a line, a field or a colour.
  [
    JSON.stringify({ level: 'warn', msg: 'no price', model: 'zz\nproxy error: FORGED \u001b[31m\u009b\u202e' }),
    'writer warn: no price model="zz\\nproxy error: FORGED \\u001b[31m\\u{9b}\\u{202e}"',
  ],
  [JSON.stringify({ level: 'warn', msg: 'x', model: 'a code=internal' }), 'writer warn: x model="a code=internal"'],
  ['Error: \u001b[2Jgone', 'writer: Error: \\u{1b}[2Jgone'],
  ['', null],
  ['null', 'writer: null'],
] as const)('%s is shown in the terminal as %s', ([line, shown]) => {
  expect(describeLogLine('writer', line)).toBe(shown);
});

test.for([
  ['{"level":"fatal","msg":"cannot go on","error":"A: is not set\\nB: must be 1"}', 'A: is not set; B: must be 1'],
  ['{"level":"fatal","msg":"cannot go on"}', 'cannot go on'],
  ['{"level":"error","msg":"lost","error":"gone"}', null],
  ['fatal', null],
] as const)('the fatal reason in %s is %s', ([line, reason]) => {
  expect(readFatalReason(line)).toBe(reason);
});

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
