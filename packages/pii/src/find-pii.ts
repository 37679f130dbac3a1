import { type Detector, type PiiMatch, runDetectors } from './detector.ts';
import { detectors } from './detectors.ts';
import { readOtherwise } from './read-otherwise.ts';
import { resolveOverlaps } from './resolve-overlaps.ts';

export type { Detector, PiiMatch } from './detector.ts';

/** Sorted by start, no two overlap. Pure, never throws, and takes time linear in the text's length. */
export type PiiFinder = (text: string) => PiiMatch[];

/** @param personNames of `@agp/metering/person-names`, apart because it takes time and memory to load */
export function createPiiFinder({ personNames }: { personNames?: Detector } = {}): PiiFinder {
  const active = personNames ? [...detectors, personNames] : detectors;
  return (text) => {
    const findings = runDetectors(active, text);
    for (const reading of readOtherwise(text))
      for (const { type, start, end } of runDetectors(active, reading.value))
        findings.push({ type, ...reading.toOriginal(start, end) });
    return findings.length < 2 ? findings : resolveOverlaps(findings, text.length);
  };
}
