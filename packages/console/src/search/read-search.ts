/** What stands behind `?` in an address, as the router parsed it: by anybody. */
export type RawSearch = Record<string, unknown>;

/** Longer values are of no use to any filter. */
const longest = 256;

/** A text of at most 256 characters; undefined for anything else. The router reads digits and `true` as what they look like. */
export function readText(search: RawSearch, name: string): string | undefined {
  const value = search[name];
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= longest ? text : undefined;
}

/** One of some texts; undefined for any other. */
export function readChoice<Choice extends string>(
  search: RawSearch,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === readText(search, name));
}

/** A page's number, from 1 on. */
export function readPageNumber(search: RawSearch, name = 'page'): number | undefined {
  const value = Number(readText(search, name));
  return Number.isSafeInteger(value) && value > 1 && value <= 100_000 ? value : undefined;
}

/** Leaves out what is not set, so that addresses stay short. */
export function compact<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}
