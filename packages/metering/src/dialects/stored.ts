import type { EventTool } from '@agp/core/events';
import { type Geo, toGeo } from '@agp/core/geos';
import type { JsonObject } from '../json/members.ts';
import { foldName } from './bounds.ts';

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

/** @param tools null if they cannot be read */
export function readStored(
  { unsaid = false, members, tools: keeping }: Storing,
  call: JsonObject,
  tools: readonly EventTool[] | null,
  baseUrl: URL,
): Stored {
  const kept = members?.split(/\s+/).find((name) => listKeys(call, name).some((key) => call[key]));
  if (kept !== undefined) return `the member "${kept}"`;
  if (keeping !== undefined && tools === null) return null;
  const hosted = tools?.flatMap(({ kind, names }) => (kind === 'hosted' ? names : []));
  const tool = keeping?.split(/\s+/).find((name) => hosted?.includes(name));
  if (tool !== undefined) return `the tool "${tool}"`;
  const keys = listKeys(call, 'store');
  const { store = null } = call;
  if (store === null && keys.every((key) => key === 'store'))
    return typeof unsaid === 'function' ? unsaid(baseUrl) : unsaid;
  if (keys.length > 1 || typeof store !== 'boolean') return null;
  return store ? '"store": true' : false;
}

/** Where calls ask to be processed; null if that is left open or not clear, undefined if none says. */
export function readAskedGeo(member: string, calls: readonly JsonObject[]): Geo | null | undefined {
  const asked = calls.map((call) => {
    const keys = listKeys(call, member);
    if (keys.every((key) => key === member && call[key] === null)) return undefined;
    return keys.length === 1 ? toGeo(call[member]) : null;
  });
  return new Set(asked).size > 1 ? null : asked[0];
}
