import type { PiiFinding } from '@agp/core/events';
import { listPiiTypes } from '@agp/pii/types';
import type { DataAction } from './data-schema.ts';
import type { Policy } from './schema.ts';

export type Direction = 'request' | 'response';

/** What was found in texts; own patterns are kinds named after their policy, as `interns/employee_id`. */
export interface DataFacts {
  found: readonly { kind: string; count: number }[];
  /** What was not or could not be searched, in words; null if all was. */
  unsearched: string | null;
}

/** What a policy does with a call in whose texts something was found, or that was checked. */
export interface DataFault {
  reason: string;
  /** In place of a refusal; absent if it is refused. */
  remedy?: 'redact' | 'flag';
  /** How often, by kind as its policy names it. */
  found?: Readonly<Record<string, number>>;
  isUnread?: true;
}

export type DataActions = ReadonlyMap<string, DataAction>;

export const ownKind = (policy: string, pattern: string): string => `${policy}/${pattern}`;
/** A kind as its policy names it. */
export const nameKind = (kind: string): string => kind.slice(kind.indexOf('/') + 1);

/** What becomes of each kind: a narrower name counts before a wider one. */
export function listDataActions({ name, pii }: Policy, direction: Direction): DataActions {
  const own = new Set(pii?.patterns?.map((pattern) => pattern.name));
  const kindsOf = (named: string): readonly string[] => {
    if (own.has(named)) return [ownKind(name, named)];
    return named === 'all'
      ? [...listPiiTypes(named), ...[...own].map((each) => ownKind(name, each))]
      : listPiiTypes(named);
  };
  const rules = Object.entries(pii?.[direction] ?? {}).map(([named, action]) => ({ kinds: kindsOf(named), action }));
  rules.sort((one, other) => other.kinds.length - one.kinds.length);
  return new Map(rules.flatMap(({ kinds, action }) => kinds.map((kind) => [kind, action] as const)));
}

/** @param facts undefined if nobody searched */
export function judgeData(
  actions: DataActions,
  facts: DataFacts | undefined,
  unreadable: Policy['unreadable'],
): DataFault | null {
  const { found, unsearched } = facts ?? { found: [], unsearched: 'its texts' };
  const done = (action: DataAction): DataFault | null => {
    const named = found.filter(({ kind }) => actions.get(kind) === action);
    if (named.length === 0) return null;
    const counts = Object.fromEntries(named.map(({ kind, count }) => [nameKind(kind), count]));
    return { reason: `its texts hold ${Object.keys(counts).join(', ')}`, found: counts };
  };
  const blocked = done('block');
  if (blocked !== null) return blocked;
  if (unsearched !== null && unreadable === 'refuse')
    return { reason: `not all of it can be searched for personal data: ${unsearched}`, isUnread: true };
  const [redacted, flagged] = [done('redact'), done('flag')];
  if (redacted !== null) return { ...redacted, remedy: 'redact', found: { ...flagged?.found, ...redacted.found } };
  return flagged && { ...flagged, remedy: 'flag' };
}

/** What was found in one direction of a recorded call; each place counts once. */
export function countRecorded(findings: readonly PiiFinding[], direction: Direction): DataFacts {
  const types = Map.groupBy(
    findings.filter((each) => each.in === direction),
    ({ type }) => type,
  );
  return { found: [...types].map(([kind, places]) => ({ kind, count: places.length })), unsearched: null };
}

/** Whether a record may hold what a policy names, and not tell: it was not searched in whole, a type has no place, or a pattern is its own. */
export const mayHold = (
  actions: DataActions,
  { types, findings, isFull }: { types: readonly string[]; findings: readonly PiiFinding[]; isFull: boolean },
): boolean =>
  actions.size > 0 &&
  (!isFull ||
    [...actions.keys()].some((kind) => kind.includes('/')) ||
    types.some((type) => actions.has(type) && !findings.some((each) => each.type === type)));

/** What an external check says of a call. */
export interface CheckVerdict {
  action: 'allow' | DataAction;
  /** Why, for the agent: of the check itself, or how it failed. */
  reason: string;
  found: Readonly<Record<string, number>>;
  /** It failed, and its policy refuses then. */
  hasFailed?: true;
}

/** Without a body or an answer, and for whom an exception holds, a check is not asked. */
const unasked: CheckVerdict = { action: 'allow', reason: '', found: {} };

export function judgeCheck(
  policy: string,
  checks: ReadonlyMap<string, CheckVerdict> | undefined,
  facts: DataFacts | undefined,
  unreadable: Policy['unreadable'],
): DataFault | null {
  if (checks === undefined) return { reason: 'it was not checked', isUnread: true };
  const { action, reason, found, hasFailed } = checks.get(policy) ?? unasked;
  const unsearched = facts?.unsearched ?? null;
  if (action !== 'block' && unsearched !== null && unreadable === 'refuse')
    return { reason: `not all of it can be checked: ${unsearched}`, isUnread: true };
  if (action === 'allow') return null;
  return { reason, found, ...(action !== 'block' && { remedy: action }), ...(hasFailed && { isUnread: true }) };
}
