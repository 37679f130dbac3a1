import { expect, test } from 'vitest';
import { describeLogLine, readFatalReason } from './logs.ts';

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
