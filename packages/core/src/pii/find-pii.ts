import { createText } from './create-text.ts';
import { detectors } from './detectors.ts';
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
  return (value) => {
    const text = createText(value);
    const findings: PiiFinding[] = [];
    for (const detector of active) detector.find(text, (type, start, end) => findings.push({ type, start, end }));
    return findings.length < 2 ? findings : resolveOverlaps(findings, value.length);
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
