import type { Charge, DailyCap, DailyCaps } from '@agp/budgets';

export type CapScope = (DailyCap | Charge)['kind'];

/** A daily cap or a budget that a request does not fit into. */
export interface Unfit {
  of: DailyCap | Charge;
  /** `held`: recorded usage would allow it, but requests in flight hold the rest. */
  verdict: 'held' | 'spent';
  /** In whole steps of its unit. */
  sums: {
    /** Recorded in its window. */
    spent: number;
    /** Reserved before this request and not part of `spent`. */
    earlier: number;
    mine: number;
  };
}

interface Mine {
  nanoUsd: number;
  tokens: number;
}

/**
 * The rule of caps and budgets: recorded usage, earlier reservations and this request must not pass the limit; one that is reached refuses
 * free calls, too.
 *
 * @param used of the caps, then of the charges, in their order
 * @param earlier the same
 */
export function judge(
  caps: DailyCaps,
  charges: readonly Charge[],
  { nanoUsd, tokens }: Mine,
  used: readonly number[],
  earlier: readonly number[],
): Unfit[] {
  const unfit: Unfit[] = [];
  for (let at = 0; at < caps.length + charges.length; at += 1) {
    const of = caps[at] ?? (charges[at - caps.length] as Charge);
    const { unit, limit } = of;
    const mine = unit === 'usd' ? nanoUsd : unit === 'tokens' ? tokens : 1;
    const [spent, before] = [used[at] ?? 0, earlier[at] ?? 0];
    const isSpent = spent >= limit || spent + mine > limit;
    if (isSpent || spent + before + mine > limit)
      unfit.push({ of, verdict: isSpent ? 'spent' : 'held', sums: { spent, earlier: before, mine } });
  }
  return unfit;
}

export const listRefusing = (unfit: readonly Unfit[]): Unfit[] => unfit.filter(({ of }) => of.refuses);

/** What is spent comes before what is only held for now. */
export function findRefusing(unfit: readonly Unfit[]): Unfit | undefined {
  const refusing = listRefusing(unfit);
  return refusing.find(({ verdict }) => verdict === 'spent') ?? refusing[0];
}

/** @returns the UTC day, `YYYY-MM-DD` */
export const toDay = (timestamp: number): string => new Date(timestamp).toISOString().slice(0, 10);
