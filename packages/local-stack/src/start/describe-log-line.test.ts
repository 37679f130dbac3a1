import { expect, test } from 'vitest';
import { describeLogLine } from './describe-log-line.ts';

test.for([
  ['{"level":"info","msg":"hello"}', null],
  [
    '{"level":"warn","time":"now","pid":1,"msg":"slow","ms":12,"table":"events"}',
    'writer warn: slow ms=12 table=events',
  ],
  ['{"level":"error","msg":"lost","cause":{"code":"X"}}', 'writer error: lost cause={"code":"X"}'],
  ['    at main.ts:1', 'writer:     at main.ts:1'],
  ['', null],
  ['null', 'writer: null'],
] as const)('the terminal shows of %s: %s', ([line, shown]) => {
  expect(describeLogLine('writer', line)).toBe(shown);
});
