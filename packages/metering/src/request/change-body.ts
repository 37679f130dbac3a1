import type { EventTool } from '@agp/core/events';
import { parseJson } from '@agp/core/json';
import type { CallHead } from '../call-head.ts';
import { findRule } from '../dialects/bounds.ts';
import { UnreadTool } from '../dialects/named-tools.ts';
import type { Operation } from '../dialects/operation.ts';
import { asArray, asObject, type JsonObject } from '../json/members.ts';
import type { InspectedBody } from './inspect-body.ts';

export interface BodyChange {
  /** The most of one answer, in tokens; null to leave its bound. */
  mostOutputTokens: number | null;
  /** Null to leave its tools. */
  isDenied: ((tool: EventTool) => boolean) | null;
}

/**
 * A body with a lower bound of output, and without tools that are denied. Numbers keep their digits, and members their order.
 * @returns null if it cannot be changed: it is encoded, a form, or holds many calls
 */
export function changeBody(
  { operation, provider }: CallHead,
  { form, bytes, toProvider }: InspectedBody,
  change: BodyChange,
): Buffer | null {
  const isPlain = form.decoded === null && /^\s*(?:identity)?\s*$/i.test(form.contentEncoding);
  if (operation === null || operation.listCalls !== undefined || !isPlain || bytes.length === 0) return null;
  const body = parseExactly(toProvider.toString());
  if (body === null) return null;
  if (change.mostOutputTokens !== null && !lower(operation, provider.baseUrl, body, change.mostOutputTokens))
    return null;
  if (change.isDenied !== null) strip(operation, body, change.isDenied);
  return Buffer.from(JSON.stringify(body));
}

function parseExactly(json: string): Record<string, unknown> | null {
  try {
    const body = parseJson(json, { keepsDigits: true });
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Every bound that the body gives, and the operation's own if it gives none. */
function lower({ bounds }: Operation, baseUrl: URL, body: Record<string, unknown>, most: number): boolean {
  const path = bounds?.outputBound?.(baseUrl);
  if (bounds === undefined || path === undefined) return false;
  const isBound = (key: string) =>
    [bounds.members, bounds.settings].some((rules) => rules && findRule(rules, key, bounds.isEitherCase) === 'bound');
  const own = path.at(-1) as string;
  const parents = path
    .slice(0, -1)
    .map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);
  let holder = body;
  for (const [camel = '', snake = ''] of parents) {
    const name = holder[snake] !== undefined ? snake : camel;
    holder[name] = { ...asObject(holder[name]) };
    holder = holder[name] as Record<string, unknown>;
  }
  const given = [...new Set([body, holder])].flatMap((each) =>
    Object.keys(each)
      .filter(isBound)
      .map((key) => ({ each, key })),
  );
  for (const { each, key } of given) {
    const amount = asNumber(each[key]);
    if (amount === null || !(Number(amount) <= most)) each[key] = most;
  }
  if (!given.some(({ each }) => each === holder)) holder[own] = most;
  return true;
}

const asNumber = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as { rawJSON?: string }).rawJSON : value;

/** Lists of tools, those first that others refer to. */
const lists = ['mcp_servers', 'tools', 'functions', 'plugins'];
/** Members that are a tool by themselves. */
const searches = ['web_search_options', 'search_parameters', 'enable_search'];
const choices = ['tool_choice', 'function_call', 'toolConfig', 'tool_config', 'parallel_tool_calls'];

function strip(operation: Operation, body: Record<string, unknown>, isDenied: (tool: EventTool) => boolean): void {
  const gone = new Set<string>();
  const isGone = (tool: EventTool) => {
    if (!isDenied(tool)) return false;
    for (const name of tool.names) gone.add(name);
    return true;
  };
  for (const list of lists) {
    if (!Array.isArray(body[list])) continue;
    const others = list === 'tools' ? { mcp_servers: body.mcp_servers } : {};
    const servers = operation.readTools?.(others) ?? [];
    const read = (item: JsonObject) =>
      (operation.readTools?.({ ...others, [list]: [item] }) ?? []).slice(servers.length);
    const kept = asArray(body[list]).flatMap((item) => keep(asObject(item), read, isGone));
    if (kept.length > 0) body[list] = kept;
    else delete body[list];
  }
  for (const member of searches)
    if (body[member] && operation.readTools?.({ [member]: body[member] }).some(isGone)) delete body[member];
  if (gone.size === 0) return;
  for (const choice of choices) {
    const names = JSON.stringify(body[choice]) ?? '';
    const isOfGone = [...gone].some((name) => names.includes(JSON.stringify(name)));
    if (isOfGone || (body.tools === undefined && body.functions === undefined)) delete body[choice];
  }
}

type Read = (item: JsonObject) => EventTool[];

/** A tool may hold others, and some of them stay. */
function keep(item: JsonObject, read: Read, isGone: (tool: EventTool) => boolean): JsonObject[] {
  const named = readKnown(item, read);
  if (named === null) return [];
  const denied = named.filter(isGone);
  if (denied.length === 0) return [item];
  if (denied.length === named.length) return [];
  const entries = Object.entries(item);
  const plain = Object.fromEntries(entries.filter(([, value]) => typeof value !== 'object'));
  const stays = (key: string, value: unknown) => !(readKnown({ ...plain, [key]: value }, read) ?? []).some(isGone);
  const kept = entries.flatMap(([key, value]): [string, unknown][] => {
    if (!Array.isArray(value)) return typeof value !== 'object' || stays(key, value) ? [[key, value]] : [];
    const rest = value.filter((each) => stays(key, [each]));
    return rest.length === 0 ? [] : [[key, rest]];
  });
  return [Object.fromEntries(kept)];
}

/** Null for one that refers to what is gone. */
function readKnown(item: JsonObject, read: Read): EventTool[] | null {
  try {
    return read(item);
  } catch (error) {
    if (error instanceof UnreadTool) return null;
    throw error;
  }
}
