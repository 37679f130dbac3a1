import type { Told, UsedFacts } from './facts.ts';

export const join = (...parts: (string | null | false | undefined)[]): string => parts.filter(Boolean).join('; ');

/** The words for a cap or a budget that is used so far. */
export function tellUsed(
  noun: string,
  { name, whose, percent, used, amount, until, expected, ...is }: UsedFacts,
): Told {
  const of = `${noun} ${name}${whose === null ? '' : ` (${whose})`}`;
  const end = until && `begins anew ${until}`;
  if (expected !== null)
    return { title: `${of} will pass ${amount}`, detail: join(`${used} used, ${expected} expected at its end`, end) };
  if (is.refusing)
    return {
      title: `${is.refusing} is refused: ${of} ${is.tight ? 'has no room' : 'is used up'}`,
      detail: join(`${used} of ${amount} used`, end),
    };
  if (is.tight) return { title: `${of} refuses what has no room: ${used} of ${amount} used`, detail: end ?? '' };
  const title = percent >= 100 ? `${of} is used up: ${used} of ${amount}` : `${of} is at ${percent} % of ${amount}`;
  return { title, detail: join(`${used} used`, end) };
}
