import type { EventTool } from '@agp/core/events';
import { type Geo, toGeo } from '@agp/core/geos';
import { asArray, asObject, type JsonObject } from '../json/members.ts';
import { foldName, rivalRules } from './bounds.ts';

/** What keeps a call's text at the provider beyond its answer, in words; false for nothing, null if the call does not say. */
export type Stored = string | false | null;

/** How an API keeps what a call sends. Logs against abuse, which all vendors keep, are none of it. */
export interface Storing {
  /** What holds if the call has no `store`; false if absent. */
  unsaid?: Stored | ((baseUrl: URL) => Stored);
  /** Members that keep it if they are set, whatever `store` says; separated by spaces. */
  members?: string;
  /** Hosted tools that keep what they get. */
  tools?: string;
}

/** That of an API which stores unless it is told not to. */
export const storesUnsaid = '"store", which is true unless it is said';

/** A member in all spellings that some server may take for it. */
const listKeys = (call: JsonObject, name: string): string[] =>
  Object.keys(call).filter((key) => foldName(key) === foldName(name));

const listValues = (call: JsonObject, rule: 'settings' | 'calls'): unknown[] =>
  Object.keys(call).flatMap((key) =>
    typeof call[key] === 'object' && rivalRules.get(foldName(key)) === rule ? [call[key]] : [],
  );

/** Whether a member stands in an object of settings, such as `extra_body`, that some server merges into the call. */
const isInSettings = (call: JsonObject, name: string): boolean =>
  listValues(call, 'settings').some((settings) => listKeys(asObject(settings), name).length > 0);

/** @param tools null if they cannot be read @returns undefined if the call has no `store`: where it goes decides */
export function readStored(
  { members, tools: keeping }: Storing,
  call: JsonObject,
  tools: readonly EventTool[] | null,
): Stored | undefined {
  const kept = members?.split(/\s+/).find((name) => listKeys(call, name).some((key) => call[key]));
  if (kept !== undefined) return `the member "${kept}"`;
  if (keeping !== undefined && tools === null) return null;
  const hosted = tools?.flatMap(({ kind, names }) => (kind === 'hosted' ? names : []));
  const tool = keeping?.split(/\s+/).find((name) => hosted?.includes(name));
  if (tool !== undefined) return `the tool "${tool}"`;
  const keys = listKeys(call, 'store');
  if (isInSettings(call, 'store')) return null;
  const { store = null } = call;
  if (store === null && keys.every((key) => key === 'store')) return undefined;
  if (keys.length > 1 || typeof store !== 'boolean') return null;
  return store ? '"store": true' : false;
}

/** More than any call names. */
const mostFallbacks = 100;

/** Where calls and those that stand in for them ask to be processed; null if that is left open or not clear, undefined if none says. */
export function readAskedGeo(member: string, calls: readonly JsonObject[]): Geo | null | undefined {
  const others = calls.flatMap((call) => listValues(call, 'calls').map(asArray));
  if (others.some(({ length }) => length > mostFallbacks)) return null;
  // One that says nothing goes where its call goes.
  const fallbacks = others
    .flat()
    .map(asObject)
    .filter((other) => listKeys(other, member).length > 0 || isInSettings(other, member));
  const asked = [...calls, ...fallbacks].map((call) => {
    const keys = listKeys(call, member);
    if (isInSettings(call, member)) return null;
    if (keys.every((key) => key === member && call[key] === null)) return undefined;
    return keys.length === 1 ? toGeo(call[member]) : null;
  });
  return new Set(asked).size > 1 ? null : asked[0];
}
