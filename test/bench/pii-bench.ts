/**
 * How fast the PII finder reads, on one core, beside one pass of a native RegExp over the same text in the same run: what an e-mail
 * pattern alone costs. Rounds take turns and medians are compared. With `--detectors`, each detector alone.
 */

import { createPersonNameDetector } from '@agp/metering/person-names';
import { createPiiFinder } from '@agp/pii';
import { runDetectors } from '../../packages/pii/src/detector.ts';
import { detectors } from '../../packages/pii/src/detectors.ts';
import { makeBenchText } from './pii-bench-text.ts';
import { readArguments } from './read-arguments.ts';

const {
  megabytes,
  rounds,
  detectors: isEach,
} = readArguments('bench:pii', { megabytes: 16, rounds: 5, detectors: false });
/** The proxy scans texts of this size: parts of conversations. */
const partLength = 8_192;

const emailPattern = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255}\.[A-Za-z]{2,24}/g;

const text = makeBenchText(megabytes * 1_000_000);
const parts = Array.from({ length: Math.ceil(text.length / partLength) }, (_, index) =>
  text.slice(index * partLength, (index + 1) * partLength),
);
const plainText = text.replaceAll(/[^A-Za-z ]/g, ' ');
const find = createPiiFinder();
const findNames = createPiiFinder({ personNames: createPersonNameDetector() });

const passes: Record<string, () => number> = {
  'one RegExp, an e-mail pattern': () => [...text.matchAll(emailPattern)].length,
  'all types, one text': () => find(text).length,
  [`all types, texts of ${partLength}`]: () => parts.reduce((sum, part) => sum + find(part).length, 0),
  'all types and names, one text': () => findNames(text).length,
  'all types, letters and spaces only': () => find(plainText).length,
};
if (isEach) {
  for (const detector of detectors) {
    passes[`  ${detector.types.slice(0, 3).join(' ')}`] = () => runDetectors([detector], text).length;
  }
}

const results = Object.entries(passes).map(([name, run]) => ({ name, run, speeds: [] as number[], findings: 0 }));
for (let round = 0; round <= rounds; round++) {
  for (const result of results) {
    const start = performance.now();
    result.findings = result.run();
    // The first round is for the compiler.
    if (round > 0) result.speeds.push(megabytes / ((performance.now() - start) / 1_000));
  }
}

const medianOf = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
const [baseline] = results;
console.log(`${megabytes} MB of prose, code, JSON and logs; medians of ${rounds} rounds\n`);
for (const { name, speeds, findings } of results) {
  const speed = medianOf(speeds);
  const ratio = speed / medianOf(baseline?.speeds ?? []);
  console.log(
    `${name.padEnd(38)} ${speed.toFixed(1).padStart(8)} MB/s ${ratio.toFixed(2).padStart(7)} x  ${findings} findings`,
  );
}
