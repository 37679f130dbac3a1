import { matchesName } from './names.ts';
import type { Policy, Selector } from './schema.ts';

type Lists = { allow?: string[] | undefined; deny?: string[] | undefined };

const kinds = ['models', 'providers', 'operations'] as const;

/** Rules that cancel each other out, in words. */
export function findContradictions(policies: readonly Policy[], now: Date): string[] {
  const within = policies.flatMap((policy) => [
    ...listOwn(policy),
    ...(policy.until !== undefined && Date.parse(policy.until) <= now.getTime()
      ? [`${policy.name}: it ended ${policy.until}, so it decides nothing`]
      : []),
  ]);
  const between = policies.flatMap((one, at) =>
    policies.slice(at + 1).flatMap((other) => (mayMeet(one, other) ? listBetween(one, other) : [])),
  );
  return [...within, ...between];
}

/** Names that a policy allows and denies at once. */
function listOwn({ name, models, providers, operations, tools }: Policy): string[] {
  const all: [string, Lists | undefined][] = [
    ...([
      ['models', models],
      ['providers', providers],
      ['operations', operations],
      ['tools.client', tools?.client],
      ['tools.hosted', tools?.hosted],
    ] as [string, Lists | undefined][]),
  ];
  return all.flatMap(([rule, lists]) => {
    const both = (lists?.allow ?? []).filter((pattern) => lists?.deny?.some((denied) => covers(denied, pattern)));
    return both.map((pattern) => `${name}: ${rule} allows and denies ${pattern}, which denies it`);
  });
}

/** Lists that together let nothing pass. */
function listBetween(one: Policy, other: Policy): string[] {
  return kinds.flatMap((kind) => {
    const [first, second] = [one[kind]?.allow, other[kind]?.allow];
    if (first === undefined || second === undefined) return [];
    const meet = first.some((a) => second.some((b) => covers(a, b) || covers(b, a)));
    return meet ? [] : [`${one.name} and ${other.name}: where both match, their ${kind} allow nothing in common`];
  });
}

/** Whether all names of a pattern are another's too. */
const covers = (wide: string, narrow: string) =>
  narrow.endsWith('*') ? wide.endsWith('*') && matchesName(wide, narrow.slice(0, -1)) : matchesName(wide, narrow);

/** Whether one call may match both, as far as names tell. */
function mayMeet({ match: one }: Policy, { match: other }: Policy): boolean {
  const lists = ['agents', 'tags', 'providers'] as const;
  const apart = (a: string[] | undefined, b: string[] | undefined) =>
    a !== undefined && b !== undefined && !a.some((x) => b.some((y) => covers(x, y) || covers(y, x)));
  const labelsApart = Object.entries(one.labels ?? {}).some(([label, values]) => apart(values, other.labels?.[label]));
  return !labelsApart && !lists.some((list: keyof Selector & (typeof lists)[number]) => apart(one[list], other[list]));
}
