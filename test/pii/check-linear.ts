/**
 * Proves that each RegExp takes linear time, then shows that the PII finder does on each hostile text: at most 2.5 times as long for twice the length. Times are the best of
 * some runs, more where the machine is busy. Ends with 1 if one fails.
 */

import { createPersonNameDetector } from '@agp/metering/person-names';
import { createPiiFinder } from '@agp/pii';
import { proveRegExps } from './prove-regexps.ts';
import { redosCorpus } from './redos-corpus.ts';

const megabyte = 1_000_000;
const allowedRatio = 2.5;
const leastRuns = 3;
/** How long a ratio may take to become good, in milliseconds: a busy machine disturbs single runs. */
const patience = 10_000;

const find = createPiiFinder({ personNames: createPersonNameDetector() });

/** CPU time is counted in steps of some milliseconds: what is read faster than this is read several times. */
const leastMs = 100;

/** CPU time of this thread for one reading, in milliseconds: on a busy machine the clock also runs while others do. */
function timeOf(text: string, readings: number): number {
  const start = process.threadCpuUsage();
  for (let reading = 0; reading < readings; reading++) find(text);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000 / readings;
}

/** Times for one and two megabytes, in milliseconds. Taken by turns, so that what disturbs the machine disturbs both. */
function measure(make: (length: number) => string): { one: number; two: number } {
  const texts = { one: make(megabyte), two: make(2 * megabyte) };
  const best = { one: Number.POSITIVE_INFINITY, two: Number.POSITIVE_INFINITY };
  const start = performance.now();
  find(texts.one);
  const readings = Math.ceil(leastMs / (performance.now() - start));
  for (let run = 1; ; run++) {
    best.one = Math.min(best.one, timeOf(texts.one, readings));
    best.two = Math.min(best.two, timeOf(texts.two, readings));
    const isGood = best.two / best.one <= allowedRatio;
    if (run >= leastRuns && (isGood || performance.now() - start > patience)) return best;
  }
}

find(redosCorpus.map(({ make }) => make(20_000)).join('\n'));
let failed = proveRegExps();
let slowest = 0;
console.log(`${'hostile text'.padEnd(44)} 1 MB, ms  2 MB, ms  ratio`);
for (const { name, make } of redosCorpus) {
  const { one, two } = measure(make);
  const isLinear = two / one <= allowedRatio;
  if (!isLinear) failed++;
  slowest = Math.max(slowest, one);
  const figures = `${one.toFixed(1).padStart(8)} ${two.toFixed(1).padStart(9)} ${(two / one).toFixed(2).padStart(6)}`;
  console.log(`${name.replaceAll('\n', '\\n').padEnd(44)} ${figures}${isLinear ? '' : '  TOO SLOW'}`);
}
console.log(
  `\n${redosCorpus.length} hostile texts; ${failed} failures; the slowest takes ${slowest.toFixed(0)} ms a megabyte`,
);
process.exitCode = failed > 0 ? 1 : 0;
