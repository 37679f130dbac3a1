import { afterAll, beforeAll, expect, test } from 'vitest';
import { explainFaults, perRound, startFuzzed } from '../prove/stories/fuzz.ts';
import { runRound } from './run-round.ts';

/** Rounds that once found something, and the first few. `npm run fuzz` goes on from a seed of its own. */
const knownSeeds = [1, 2, 3];

let forwarded = 0;
let fuzzed: Awaited<ReturnType<typeof startFuzzed>>;
beforeAll(async () => {
  fuzzed = await startFuzzed();
});
afterAll(() => fuzzed?.[Symbol.asyncDispose]());

test.each(knownSeeds)(
  'round %i: no process ends, none answers 500, and each forwarded request is accounted for with all that it cost',
  async (seed) => {
    const result = await runRound(fuzzed, seed, perRound, false);
    expect(explainFaults(result)).toBe('');
    forwarded += result.forwarded;
  },
);

test('the rounds reached the provider', () => {
  // In all: a proxy on a starved machine may refuse most of one.
  expect(forwarded).toBeGreaterThan(15);
});
