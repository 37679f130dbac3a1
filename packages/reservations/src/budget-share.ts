/** Amounts that a reservation holds of budgets, in whole steps of their units, by scope. */
export type Charges = Readonly<Record<string, number>>;

/** The budgets that a reservation counts in. */
export interface BudgetShare {
  /** Scopes of budgets, by what they count. */
  scopes: Readonly<Record<'usd' | 'tokens' | 'requests', readonly string[]>>;
  /** Held of those that count tokens. */
  tokens: number;
}

export function writeShare(share: BudgetShare | undefined): string {
  if (share === undefined) return '';
  const { usd, tokens, requests } = share.scopes;
  return `${share.tokens}|${usd.join()};${tokens.join()};${requests.join()}`;
}

/** Null if it counts in none. */
export function parseCharges(text: string, nanoUsd: number): Charges | null {
  const [, tokens, ...units] = /^(\d+)\|([^;]*);([^;]*);(.*)$/.exec(text) ?? [];
  if (tokens === undefined) return null;
  const amounts = [nanoUsd, Number(tokens), 1];
  return Object.fromEntries(
    units.flatMap((scopes, at) =>
      scopes
        .split(',')
        .filter(Boolean)
        .map((scope) => [scope, amounts[at] as number]),
    ),
  );
}

/** The same of one that was not sent. */
export const listCharges = ({
  budgets,
  nanoUsd,
}: {
  budgets?: BudgetShare | undefined;
  nanoUsd: number;
}): Charges | null => parseCharges(writeShare(budgets), nanoUsd);
