/** Amounts that a reservation holds of budgets, in whole steps of their units, by scope. */
export type Charges = Readonly<Record<string, number>>;

/** The budgets that a reservation counts in. */
export interface BudgetShare {
  /** Of budgets in USD, in tokens and in requests: commas between those of a unit, semicolons between the units. */
  scopes: string;
  /** Held of those that count tokens. */
  tokens: number;
}

export const writeShare = (share: BudgetShare | undefined): string =>
  share === undefined ? '' : `${share.tokens}|${share.scopes}`;

/** Whether one of its budgets counts tokens. */
export const countsTokens = ({ scopes }: BudgetShare): boolean => scopes[scopes.indexOf(';') + 1] !== ';';

/** Beside the event that counts as the one request that it is. */
export const withoutRequests = ({ scopes, tokens }: BudgetShare): BudgetShare => ({
  scopes: scopes.slice(0, scopes.lastIndexOf(';') + 1),
  tokens,
});

/** Null if it counts in none. */
export function parseCharges(text: string, nanoUsd: number): Charges | null {
  const [, tokens, ...units] = /^(\d+)\|([^;]*);([^;]*);(.*)$/.exec(text) ?? [];
  if (tokens === undefined) return null;
  const amounts = [nanoUsd, Number(tokens), 1];
  const charges: Record<string, number> = {};
  for (const [at, scopes] of units.entries())
    for (const scope of scopes.split(',')) if (scope !== '') charges[scope] = amounts[at] as number;
  return charges;
}

/** The same of one that was not sent. */
export const listCharges = (held: { budgets?: BudgetShare | undefined; nanoUsd: number }): Charges | null =>
  held.budgets === undefined ? null : parseCharges(writeShare(held.budgets), held.nanoUsd);
