import type { PiiFinding } from './detector.ts';
import { type PiiForm, piiTypes } from './pii-types.ts';

const ranks: Record<PiiForm, number> = { checksum: 0, fixed: 1, context: 2, loose: 3, guess: 4 };

/** Of a type, or an own pattern of a policy. */
export type Candidate = Omit<PiiFinding, 'type'> & { readonly type: string };

/** An own pattern of a policy counts as a rare layout. */
const rankOf = ({ type }: Candidate): number =>
  ranks[(piiTypes as Record<string, { form: PiiForm }>)[type]?.form ?? 'fixed'];

/** Sorted by start. The surer one stays, then the longer, then the earlier. */
export function resolveOverlaps<T extends Candidate>(candidates: readonly T[], length: number): T[] {
  const taken = new Uint8Array(length);
  return candidates
    .toSorted(
      (a, b) =>
        rankOf(a) - rankOf(b) ||
        b.end - b.start - (a.end - a.start) ||
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
