import type { Charge } from '@agp/budgets';
import type { DailyCap } from '@agp/db';

/** A request and a daily cap; `held`: recorded spend would allow it, but requests in flight hold the rest. */
type BudgetVerdict = 'fits' | 'held' | 'spent';

interface CapSums {
  /** Recorded spend of the day. */
  spent: number;
  /** Reserved before this request and not part of `spent`. */
  earlier: number;
  mine: number;
}

/**
 * The rule of daily caps: recorded spend, earlier reservations and this one must not pass the cap; a reached cap refuses free calls, too.
 */
export function judgeBudget(
  { capNanoUsd }: Pick<DailyCap, 'capNanoUsd'>,
  { spent, earlier, mine }: CapSums,
): BudgetVerdict {
  if (capNanoUsd === null) return 'fits';
  if (spent >= capNanoUsd || spent + mine > capNanoUsd) return 'spent';
  return spent + earlier + mine <= capNanoUsd ? 'fits' : 'held';
}

export type CapScope = 'agent' | 'global' | 'budget';

export interface CapVerdict {
  scope: CapScope;
  verdict: BudgetVerdict;
  capNanoUsd: number | null;
  warnOnly: boolean;
  sums: CapSums;
  /** The budget that it is, whose amounts are in steps of its unit. */
  charge?: Charge;
}

export function judgeCaps(
  { agentCap, globalCap, nanoUsd }: { agentCap: DailyCap; globalCap: DailyCap; nanoUsd: number },
  spend: { agentNanoUsd: number; globalNanoUsd: number },
  earlier: { agent: number; global: number },
): CapVerdict[] {
  const ofAgent = { spent: spend.agentNanoUsd, earlier: earlier.agent, mine: nanoUsd };
  const ofAll = { spent: spend.globalNanoUsd, earlier: earlier.global, mine: nanoUsd };
  return [
    { scope: 'agent', verdict: judgeBudget(agentCap, ofAgent), ...agentCap, sums: ofAgent },
    { scope: 'global', verdict: judgeBudget(globalCap, ofAll), ...globalCap, sums: ofAll },
  ];
}

interface Mine {
  nanoUsd: number;
  tokens: number;
}

/** Budgets that do not fit; the others are passed over. `used` and `earlier` are in the order of the charges. */
export function judgeCharges(
  charges: readonly Charge[],
  { nanoUsd, tokens }: Mine,
  used: readonly number[],
  earlier: readonly number[],
): CapVerdict[] {
  const unfit: CapVerdict[] = [];
  for (let at = 0; at < charges.length; at += 1) {
    const charge = charges[at] as Charge;
    const { unit, limit } = charge;
    const mine = unit === 'usd' ? nanoUsd : unit === 'tokens' ? tokens : 1;
    const sums = { spent: used[at] ?? 0, earlier: earlier[at] ?? 0, mine };
    if (sums.spent < limit && sums.spent + sums.earlier + mine <= limit) continue;
    const verdict = judgeBudget({ capNanoUsd: limit }, sums);
    const warnOnly = charge.stored.budget.on_exceeded !== 'refuse';
    unfit.push({ scope: 'budget', verdict, capNanoUsd: limit, warnOnly, sums, charge });
  }
  return unfit;
}

export function listRefusing(verdicts: readonly CapVerdict[]): CapVerdict[] {
  return verdicts.filter(({ verdict, warnOnly }) => verdict !== 'fits' && !warnOnly);
}

/** A spent cap comes before one that is only held for now. */
export function findRefusing(verdicts: readonly CapVerdict[]): CapVerdict | undefined {
  const refusing = listRefusing(verdicts);
  return refusing.find(({ verdict }) => verdict === 'spent') ?? refusing[0];
}

/** @returns the UTC day, `YYYY-MM-DD` */
export const toDay = (timestamp: number): string => new Date(timestamp).toISOString().slice(0, 10);
