import type { JsonObject } from '../json/members.ts';
import { type MemberRules, type RequestBounds, toCamel } from './bounds.ts';

/**
 * Members that readers know, by name; a table in place of `true` has those of an object, or of the objects of a list, and `texts` knows an
 * object that holds nothing but texts and numbers.
 */
export interface KnownMembers {
  readonly [name: string]: true | 'texts' | KnownMembers;
}

/** @param names separated by spaces @param within members of which only some are known */
export const knowNames = (names: string, within: KnownMembers = {}): KnownMembers => ({
  ...Object.fromEntries(
    names
      .split(/\s+/)
      .filter(Boolean)
      .map((name) => [name, true] as const),
  ),
  ...within,
});

/** The members whose cost is known, and further ones that name nothing or that readers of names read. */
export function knowMembers(
  { members, settings }: RequestBounds,
  names: string,
  within: KnownMembers = {},
): KnownMembers {
  const ofRules = (rules: MemberRules): KnownMembers =>
    Object.fromEntries(
      Object.entries(rules).map(([name, rule]) => [name, rule === 'settings' ? ofRules(settings ?? {}) : true]),
    );
  const known = ofRules(members);
  const merged = Object.entries(within).map(([name, table]) => {
    const own = known[name];
    return [name, typeof own === 'object' && typeof table === 'object' ? { ...own, ...table } : table];
  });
  return { ...known, ...knowNames(names), ...Object.fromEntries(merged) };
}

/** The same in snake_case and in camelCase, for servers that take both. @param known names in snake_case */
export const inEitherCase = (known: KnownMembers): KnownMembers =>
  Object.fromEntries(
    Object.entries(known).flatMap(([name, table]) => {
      const both = typeof table === 'object' ? inEitherCase(table) : table;
      return [name, toCamel(name)].map((each) => [each, both]);
    }),
  );

/** They are read in all formats, wherever gateways take them. */
const isNaming = (key: string) => key === 'model' || key === 'models';

/**
 * The first member that no table knows and that could name a model or bring a tool, as `member.of.member`; null if there is none. Numbers,
 * booleans and null name nothing.
 * @param vouched names that count as known
 */
export function findUnknown(
  known: KnownMembers,
  object: JsonObject,
  vouched: readonly string[],
  within = '',
): string | null {
  for (const key in object) {
    const value = object[key];
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) continue;
    const table = Object.hasOwn(known, key) ? known[key] : undefined;
    if (table === true || (within === '' && isNaming(key)) || vouched.includes(within + key)) continue;
    if (table === undefined || typeof value === 'string') return within + key;
    if (table === 'texts') {
      if (Object.values(value).every((each) => typeof each !== 'object' || each === null)) continue;
      return within + key;
    }
    for (const item of Array.isArray(value) ? value : [value]) {
      const isObject = typeof item === 'object' && item !== null && !Array.isArray(item);
      if (!isObject) return within + key;
      const found = findUnknown(table, item, vouched, `${within}${key}.`);
      if (found !== null) return found;
    }
  }
  return null;
}

/** Parameters of a query that name nothing. */
export const knownParameters: ReadonlySet<string> = new Set(
  `api-version key alt $alt fields $fields callback prettyPrint quotaUser userIp access_token oauth_token uploadType upload_protocol
  $.xgafv beta api_key api-key subscription-key after before order include include[] limit page page_size pageSize pageToken filter`.split(
    /\s+/,
  ),
);
