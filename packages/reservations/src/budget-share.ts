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

/** Keys of a day are kept as long. */
const heldDays = 8;

/** Days on which something that is held may have begun, up to the given one. */
export const listHeldDays = (day: string): string[] =>
  Array.from({ length: heldDays }, (_, ago) => new Date(Date.parse(day) - ago * 86_400_000).toISOString().slice(0, 10));

let named = { day: '', days: '' };
/** The same between commas, worked out once a day. */
export function nameHeldDays(day: string): string {
  if (named.day !== day) named = { day, days: listHeldDays(day).join() };
  return named.days;
}

export function readNumbers(text: string): number[] {
  const numbers: number[] = [];
  for (const each of text.split(',')) numbers.push(Number(each));
  return numbers;
}
