import type { PiiMatch } from './detector.ts';
import { type PiiForm, piiTypes } from './pii-types.ts';

/** A number may be planted in an address or a key, so of both that are sure the longer counts. */
const ranks: Record<PiiForm, number> = { checksum: 0, fixed: 0, context: 1, loose: 2, guess: 3 };

/** Of a type, or an own pattern of a policy. */
export type Candidate = Omit<PiiMatch, 'type'> & { readonly type: string };

/** An own pattern of a policy counts as a rare layout. */
const formOf = ({ type }: Candidate) => (piiTypes as Record<string, { form: PiiForm }>)[type]?.form ?? 'fixed';

/** Sorted by start. The surer one stays, then the longer, then the one with a checksum, then the earlier. */
export function resolveOverlaps<T extends Candidate>(candidates: readonly T[], length: number): T[] {
  const taken = new Uint8Array(length);
  return candidates
    .toSorted(
      (a, b) =>
        ranks[formOf(a)] - ranks[formOf(b)] ||
        b.end - b.start - (a.end - a.start) ||
        formOf(a).localeCompare(formOf(b)) ||
        a.start - b.start ||
        (a.type < b.type ? -1 : Number(a.type > b.type)),
    )
    .filter(({ start, end }) => {
      if (taken.subarray(start, end).includes(1)) return false;
      taken.fill(1, start, end);
      return true;
    })
    .sort((a, b) => a.start - b.start);
}
