import { expect, test } from 'vitest';
import { judgeFailures } from './checks/judge-failures.ts';
import { watchStarvation } from './checks/watch-starvation.ts';

const quiet = { heldUpMs: 80, cpuPressure: 0.6 };
const starved = { heldUpMs: 2_300, cpuPressure: 0.97 };
const refusals = [
  'live client: the stream answered 503 {"error":"storage unavailable"}',
  'kept connection: 503 {"error":"proxy overloaded"}',
];

test.each([
  ['no failure', [], quiet, null],
  ['503s on a quiet machine', refusals, quiet, /^failed: 0 requests broke and 2 got 503/],
  ['503s on a starved machine', refusals, starved, /^not judged: 2 requests got 503.* 97 %.* 2\.3 s/],
  ['503s where only this process was held up', refusals, { heldUpMs: 1_500, cpuPressure: null }, /^not judged/],
  ['a cut stream on a starved machine', [...refusals, 'stream: 3 of 25 words'], starved, /^failed: 1 requests broke/],
  ['a refused connection on a starved machine', ['client: ECONNREFUSED 127.0.0.1:5030'], starved, /^failed: 1/],
])('%s: what a run under load says of it', (_, failures, starvation, verdict) => {
  const said = judgeFailures(failures, starvation);
  if (verdict === null) expect(said).toBeNull();
  else expect(said).toMatch(verdict);
});

test('a process that is held up is seen as such', () => {
  const stop = watchStarvation();
  const { heldUpMs, cpuPressure } = stop();
  expect(heldUpMs).toBeGreaterThanOrEqual(0);
  expect(cpuPressure === null || cpuPressure >= 0).toBe(true);
});
