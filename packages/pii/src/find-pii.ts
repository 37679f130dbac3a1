import { type Detector, type PiiFinding, runDetectors } from './detector.ts';
import { detectors } from './detectors.ts';
import { type PiiForm, piiTypes } from './pii-types.ts';
import type { Rewritten } from './text/rewriting.ts';
import { mayBeMasked, readTags, unmask } from './text/unmask.ts';

export type { Detector, PiiFinding } from './detector.ts';

/** Sorted by start, no two overlap. Pure, never throws, and takes time linear in the text's length. */
export type PiiFinder = (text: string) => PiiFinding[];

const ranks: Record<PiiForm, number> = { checksum: 0, fixed: 1, context: 2, loose: 3, guess: 4 };

const rankOf = (finding: PiiFinding): number => ranks[piiTypes[finding.type].form];

/** @param personNames of `@agp/metering/person-names`, apart because it takes time and memory to load */
export function createPiiFinder({ personNames }: { personNames?: Detector } = {}): PiiFinder {
  const active = personNames ? [...detectors, personNames] : detectors;
  return (text) => {
    const findings = runDetectors(active, text);
    if (!mayBeMasked.test(text)) return findings.length < 2 ? findings : resolveOverlaps(findings, text.length);
    for (const reading of readOtherwise(text)) {
      for (const { type, start, end } of runDetectors(active, reading.value)) {
        findings.push({ type, ...reading.toOriginal(start, end) });
      }
    }
    return findings.length < 2 ? findings : resolveOverlaps(findings, text.length);
  };
}

/** Escapes may contain escapes: a text is decoded at most this often. */
const maxReadings = 2;

/** A text is searched as written too: characters removed from it may separate words. */
function* readOtherwise(text: string): Generator<Rewritten> {
  const tags = readTags(text);
  if (tags) yield tags;
  let outer: Rewritten | null = null;
  for (let times = 0; times < maxReadings; times++) {
    const inner = unmask(outer ? outer.value : text);
    if (inner === null) return;
    outer = outer ? chain(outer, inner) : inner;
    yield outer;
  }
}

function chain(outer: Rewritten, inner: Rewritten): Rewritten {
  return {
    value: inner.value,
    toOriginal: (start, end) => {
      const between = inner.toOriginal(start, end);
      return outer.toOriginal(between.start, between.end);
    },
  };
}

/** The surer one stays, then the longer, then the earlier. */
function resolveOverlaps(findings: PiiFinding[], length: number): PiiFinding[] {
  findings.sort(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      b.end - b.start - (a.end - a.start) ||
      a.start - b.start ||
      (a.type < b.type ? -1 : Number(a.type > b.type)),
  );
  const taken = new Uint8Array(length);
  return findings
    .filter(({ start, end }) => {
      if (taken.subarray(start, end).includes(1)) return false;
      taken.fill(1, start, end);
      return true;
    })
    .sort((a, b) => a.start - b.start);
}
