import type { EventTool } from '@agp/core/events';
import { foldName } from '../dialects/bounds.ts';
import { maxNamedTools, UnreadTool } from '../dialects/named-tools.ts';
import type { Operation } from '../dialects/operation.ts';
import { hasRepeatedMember } from '../json/faults.ts';
import { asArray, asObject, asText, type JsonObject } from '../json/members.ts';
import type { BodyMembers } from './read-members.ts';

/** What a request names; null if it cannot be read, or several servers may read it differently. */
export interface CallNames {
  /** It was read so that rules are sure of it, repeated members and all. */
  isSure: boolean;
  /** All that may answer. */
  models: readonly string[] | null;
  tools: readonly EventTool[] | null;
}

const isPlain = (name: string) => /^[\x21-\x7e]{1,256}$/.test(name);

/** Models that a query names: some servers take them there. */
const listQueried = (query: string) =>
  query === ''
    ? []
    : [...new URLSearchParams(query)].flatMap(([name, value]) => (foldName(name) === 'model' ? [value] : []));

interface Asked {
  /** That its head and its members name. */
  models: readonly string[];
  query: string;
  /** A rule asks, so that no two servers may read it differently. */
  mustName: boolean;
}

export function readNames(
  operation: Operation,
  plain: Buffer,
  body: BodyMembers,
  { models, query, mustName }: Asked,
): CallNames {
  const calls = operation.listCalls ? operation.listCalls(asObject(body.value)) : [asObject(body.value)];
  const isTwofold = () => mustName && body.parsed !== undefined && hasRepeatedMember(plain.toString(), body.parsed);
  if (!body.isExact || calls === null || isTwofold()) return { isSure: mustName, models: null, tools: null };
  const named = [...models, ...listQueried(query), ...calls.flatMap(listInside)];
  const areAll = named.length > 0 && calls.every(namesAll) && named.every((name) => name !== null && isPlain(name));
  const distinct = areAll ? [...new Set(named as string[])] : null;
  return { isSure: mustName, models: distinct, tools: readTools(operation, calls) };
}

/** Anthropic's `fallbacks` may be left to the provider, or to a list. */
const namesAll = ({ fallbacks }: JsonObject) =>
  fallbacks === undefined || fallbacks === null || Array.isArray(fallbacks);

function listInside({ model, fallbacks, tools }: JsonObject): (string | null)[] {
  const others = asArray(tools).flatMap((tool) => {
    const { model: inside } = asObject(tool);
    return inside === undefined ? [] : [asText(inside)];
  });
  return [
    ...(model === undefined ? [] : [asText(model)]),
    ...asArray(fallbacks).map((each) => asText(asObject(each).model)),
    ...others,
  ];
}

function readTools({ readTools: read }: Operation, calls: readonly JsonObject[]): EventTool[] | null {
  if (read === undefined) return [];
  try {
    const tools = calls.flatMap(read);
    return tools.length > maxNamedTools ? null : tools;
  } catch (error) {
    if (error instanceof UnreadTool) return null;
    throw error;
  }
}
