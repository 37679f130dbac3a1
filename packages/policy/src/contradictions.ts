import { isWithin, parseHours } from './hours.ts';
import { matchesTool } from './names.ts';
import { listNamed } from './rules.ts';
import type { Policy, Selector } from './schema.ts';

type Names = readonly string[] | undefined;

/** Rules that cancel each other out, in words. */
export function findContradictions(policies: readonly Policy[], now: Date): string[] {
  const within = policies.flatMap((policy) => [
    ...listOwn(policy),
    ...(policy.until !== undefined && Date.parse(policy.until) <= now.getTime()
      ? [`${policy.name}: it ended ${policy.until}, so it decides nothing`]
      : []),
  ]);
  const between = policies.flatMap((one, at) =>
    policies.slice(at + 1).flatMap((other) => {
      const rules = mayMeet(one, other) ? listBetween(one, other) : [];
      return rules.map((rule) => `${one.name} and ${other.name}: where both match, their ${rule} let nothing pass`);
    }),
  );
  return [...within, ...between];
}

/** Names that a policy allows and denies at once. */
function listOwn(policy: Policy): string[] {
  return listNamed(policy).flatMap(([rule, { allow = [], deny }]) => {
    const both = allow.filter((pattern) => isCovered(pattern, deny));
    return both.map((pattern) => `${policy.name}: ${rule} allows and denies ${pattern}, which denies it`);
  });
}

/** Rules of two policies that let nothing pass together, though each lets something pass. */
function listBetween(one: Policy, other: Policy): string[] {
  const names = (['models', 'providers', 'operations'] as const).filter((kind) => {
    const [first, second] = [one[kind], other[kind]];
    if ([first, second].some((lists) => lists?.allow?.length === 0 || lists?.deny?.includes('*'))) return false;
    // An operation has several names: lists that share none of them may still share an operation.
    const isApart = kind !== 'operations' && areApart(first?.allow, second?.allow);
    return isApart || areAllCovered(first?.allow, second?.deny) || areAllCovered(second?.allow, first?.deny);
  });
  return areHoursApart(one.hours, other.hours) ? [...names, 'hours'] : names;
}

function areHoursApart(one: Policy['hours'], other: Policy['hours']): boolean {
  if (one === undefined || one.zone !== other?.zone) return false;
  const [first, second] = [parseHours(one.allow) ?? [], parseHours(other.allow) ?? []];
  return !first.some(({ from }) => isWithin(second, from)) && !second.some(({ from }) => isWithin(first, from));
}

/** Whether one call may match both, as far as names tell. */
function mayMeet({ match: one }: Policy, { match: other }: Policy): boolean {
  const [first, second] = [listSelected(one), listSelected(other)];
  const isApart = [...first].some(([member, names]) => areApart(names, second.get(member)));
  return !isApart && !excludes(one.not, second) && !excludes(other.not, first);
}

/** Whether `not` names all that is selected. */
function excludes(not: Selector | undefined, selected: ReadonlyMap<string, Names>): boolean {
  return (
    not !== undefined && [...listSelected(not)].every(([member, names]) => areAllCovered(selected.get(member), names))
  );
}

function listSelected({ labels = {}, ...lists }: Selector): Map<string, Names> {
  const byLabel = Object.entries(labels).map(([label, values]) => [`label ${label}`, values] as const);
  const { agents, tags, providers } = lists;
  return new Map<string, Names>(
    [...Object.entries({ agents, tags, providers }), ...byLabel].filter(([, names]) => names),
  );
}

const areApart = (one: Names, other: Names) =>
  one !== undefined &&
  other !== undefined &&
  !one.some((name) => isCovered(name, other)) &&
  !other.some((name) => isCovered(name, one));

const areAllCovered = (narrow: Names, wide: Names) => !!narrow?.length && narrow.every((name) => isCovered(name, wide));

/** Whether all that a pattern names is another's too. */
const isCovered = (narrow: string, wide: Names) => wide?.some((pattern) => matchesTool(pattern, narrow)) ?? false;
