import { isListed, type Selector } from '@agp/documents';
import { parseHours, toWeek } from './hours.ts';
import { familyOf, listNamed } from './rules.ts';
import type { Policy } from './schema.ts';

type Names = readonly string[] | undefined;

/** More are of no use to a reader. */
const mostTold = 100;

export const tellSome = (told: string[]): string[] =>
  told.length > mostTold ? [...told.slice(0, mostTold), `more than ${mostTold}: no others are listed`] : told;

/** What is asked of a policy once for each other one. */
interface Compared {
  policy: Policy;
  selected: ReadonlyMap<string, Names>;
  excluded: ReadonlyMap<string, Names> | null;
  week: bigint;
}

/** Rules that cancel each other out, in words; a pair of policies a step, which takes as long as their lists are. */
export function* findContradictions(policies: readonly Policy[]): Generator<undefined, string[]> {
  const told: string[] = [];
  const compared: Compared[] = [];
  for (const policy of policies) {
    told.push(...listOwn(policy));
    const { not, ...match } = policy.match;
    const week = toWeek(parseHours(policy.hours?.allow ?? '') ?? []);
    compared.push({ policy, selected: listSelected(match), excluded: not ? listSelected(not) : null, week });
    yield;
  }
  for (const [at, one] of compared.entries())
    for (const other of compared.slice(at + 1)) {
      if (told.length > mostTold) return tellSome(told);
      const names = `${one.policy.name} and ${other.policy.name}`;
      const rules = mayMeet(one, other) ? listBetween(one, other) : [];
      told.push(...rules.map((rule) => `${names}: where both match, their ${rule} let nothing pass`));
      yield;
    }
  return tellSome(told);
}

/** Names that a policy allows and denies at once. */
function listOwn(policy: Policy): string[] {
  return listNamed(policy).flatMap(([rule, { allow = [], deny = [] }]) => {
    const both = allow.filter((pattern) => isListed(deny, pattern));
    return both.map((pattern) => `${policy.name}: ${rule} allows and denies ${pattern}, which denies it`);
  });
}

/** Rules of two policies that let nothing pass together, though each lets something pass. */
function listBetween({ policy: one, week }: Compared, { policy: other, week: otherWeek }: Compared): string[] {
  const ofOther = new Map(listNamed(other));
  const names: string[] = listNamed(one).flatMap(([rule, first]) => {
    const second = ofOther.get(rule);
    if (familyOf(rule) !== 'call' || !second) return [];
    if ([first, second].some((lists) => lists.allow?.length === 0 || lists.deny?.includes('*'))) return [];
    // An operation has several names: lists that share none of them may still share an operation.
    const isApart = rule !== 'operations' && areApart(first.allow, second.allow);
    const isEmpty = isApart || areAllCovered(first.allow, second.deny) || areAllCovered(second.allow, first.deny);
    return isEmpty ? rule : [];
  });
  if (areApart(one.where?.geo, other.where?.geo)) names.push('where.geo');
  const isSameZone = one.hours !== undefined && one.hours.zone === other.hours?.zone;
  return isSameZone && (week & otherWeek) === 0n ? [...names, 'hours'] : names;
}

/** Whether one call may match both, as far as names tell. */
function mayMeet(one: Compared, other: Compared): boolean {
  const isApart = [...one.selected].some(([member, names]) => areApart(names, other.selected.get(member)));
  return !isApart && !excludes(one.excluded, other.selected) && !excludes(other.excluded, one.selected);
}

/** Whether `not` names all that is selected. */
const excludes = (not: Compared['excluded'], selected: Compared['selected']): boolean =>
  not !== null && [...not].every(([member, names]) => areAllCovered(selected.get(member), names));

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
  !one.some((name) => isListed(other, name)) &&
  !other.some((name) => isListed(one, name));

/** Whether all that patterns name is others' too. */
const areAllCovered = (narrow: Names, wide: Names) =>
  !!narrow?.length && wide !== undefined && narrow.every((name) => isListed(wide, name));
