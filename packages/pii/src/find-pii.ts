import { createText } from './create-text.ts';
import { detectors } from './detectors.ts';
import type { Rewritten } from './disguise/rewriting.ts';
import { readTags, unmask } from './disguise/unmask.ts';
import { type PiiForm, type PiiType, piiTypes } from './pii-types.ts';

/** Where PII stands in a text: from `start` to before `end`, in UTF-16 units. */
export interface PiiFinding {
  type: PiiType;
  start: number;
  end: number;
}

/** Finds the PII in a text: sorted by start, no two overlap. Pure, never throws, and takes time linear in the text's length. */
export type PiiFinder = (text: string) => PiiFinding[];

const ranks: Record<PiiForm, number> = { checksum: 0, fixed: 1, context: 2, loose: 3 };

const rankOf = (finding: PiiFinding): number => ranks[piiTypes[finding.type].form];

/** Makes a finder of every type in `piiTypes`; of `person_name` only if it is asked for. */
export function createPiiFinder(options: { personNames?: boolean } = {}): PiiFinder {
  const active = detectors.filter(({ types }) => options.personNames || !types.includes('person_name'));
  const findAsWritten: PiiFinder = (value) => {
    const text = createText(value);
    const findings: PiiFinding[] = [];
    for (const detector of active) detector.find(text, (type, start, end) => findings.push({ type, start, end }));
    return findings;
  };
  return (value) => {
    const findings = findAsWritten(value);
    for (const reading of readOtherwise(value)) {
      for (const { type, start, end } of findAsWritten(reading.value)) {
        findings.push({ type, ...reading.toOriginal(start, end) });
      }
    }
    return findings.length < 2 ? findings : resolveOverlaps(findings, value.length);
  };
}

/** Escapes may stand in escapes: so many times a text is read anew. */
const maxReadings = 2;

/** The ways in which a text reads but as it is written. Besides those, it is searched as it is: what was put into it may part words. */
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

/** A rewriting of a rewriting. */
function chain(outer: Rewritten, inner: Rewritten): Rewritten {
  return {
    value: inner.value,
    toOriginal: (start, end) => {
      const between = inner.toOriginal(start, end);
      return outer.toOriginal(between.start, between.end);
    },
  };
}

/** The distinct types of what a finder finds in some texts, in the order of their names. */
export function detectPiiTypes(texts: Iterable<string>, finder: PiiFinder): PiiType[] {
  const types = new Set<PiiType>();
  for (const text of texts) for (const { type } of finder(text)) types.add(type);
  return [...types].sort();
}

/** Keeps, of findings that overlap, the surer one; of two that are as sure the longer; then the earlier. */
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
