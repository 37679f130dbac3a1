import type { DailyCap } from '@agp/db';

/** How a request stands to a daily cap; `held`: what is recorded would allow it, requests in flight hold the rest. */
export type BudgetVerdict = 'fits' | 'held' | 'spent';

/** What counts against a cap, in whole nano-dollars. */
export interface BudgetClaim {
  /** Recorded spend of the day. */
  spent: number;
  /** What was reserved before this request and is not in `spent`. */
  earlier: number;
  mine: number;
}

/**
 * The rule of daily caps: recorded spend, earlier reservations and this one together must not pass the cap. A cap that
 * is reached refuses what costs nothing, too: it stops the agent, on every route.
 */
export function judgeBudget({ capNanoUsd }: DailyCap, { spent, earlier, mine }: BudgetClaim): BudgetVerdict {
  if (capNanoUsd === null) return 'fits';
  if (spent >= capNanoUsd || spent + mine > capNanoUsd) return 'spent';
  return spent + earlier + mine <= capNanoUsd ? 'fits' : 'held';
}
