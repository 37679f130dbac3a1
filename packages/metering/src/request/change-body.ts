import type { EventTool } from '@agp/core/events';
import { parseJson } from '@agp/core/json';
import type { CallHead } from '../call-head.ts';
import { findRule, findSettings, toSnake } from '../dialects/bounds.ts';
import { isNaming, tryTools } from '../dialects/named-tools.ts';
import type { Operation } from '../dialects/operation.ts';
import { asArray, asObject, type JsonObject } from '../json/members.ts';
import { maxShortMember, scanMembers, skipSpace } from '../json/scan.ts';
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
export function* changeInSteps(
  { operation, provider }: CallHead,
  { form, bytes, toProvider }: InspectedBody,
  change: BodyChange,
): Generator<undefined, Buffer | null> {
  const isPlain = form.decoded === null && /^\s*(?:identity)?\s*$/i.test(form.contentEncoding);
  if (operation === null || operation.listCalls !== undefined || !isPlain || bytes.length === 0) return null;
  const path = operation.bounds?.outputBound?.(provider.baseUrl) ?? [];
  const body = yield* readChangeable(
    toProvider,
    new Set([...lists, ...searches, ...choices, ...path, ...path.map(toSnake)]),
  );
  if (body === null) return null;
  if (change.mostOutputTokens !== null && !lower(operation, provider.baseUrl, body, change.mostOutputTokens))
    return null;
  if (change.isDenied !== null) yield* strip(operation, body, change.isDenied);
  const members = Object.entries(body).map(
    ([key, value]) => `${JSON.stringify(key)}:${value instanceof Untouched ? value.json : JSON.stringify(value)}`,
  );
  return Buffer.from(`{${members.join()}}`);
}

/** What may change is parsed number by number: in bytes. */
export const maxChangeable = 512 * 1024;

/** A member that goes on as it is, since it is too long to be a bound. */
class Untouched {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** The members of a body; named and short ones are parsed. Null if it is no object, or these are too long. */
function* readChangeable(
  bytes: Buffer,
  names: ReadonlySet<string>,
): Generator<undefined, Record<string, unknown> | null> {
  const start = skipSpace(bytes, 0);
  const found = scanMembers(bytes, start);
  if (found === null || skipSpace(bytes, found.end) < bytes.length) return null;
  const body: Record<string, unknown> = Object.create(null);
  let left = maxChangeable;
  try {
    for (const { key, start: from, end } of found.members) {
      const json = bytes.toString('utf8', from, end);
      const isParsed = names.has(key) || end - from < maxShortMember;
      if (isParsed) left -= end - from;
      if (left < 0) return null;
      body[key] = isParsed ? parseJson(json, { keepsDigits: true }) : new Untouched(json);
      yield;
    }
  } catch {
    return null;
  }
  return body;
}

/** Every bound that the body gives, and the operation's own if it gives none. */
function lower({ bounds }: Operation, baseUrl: URL, body: Record<string, unknown>, most: number): boolean {
  const path = bounds?.outputBound?.(baseUrl) ?? [];
  const own = path.at(-1);
  if (bounds === undefined || own === undefined) return false;
  const isBound = (key: string) =>
    [bounds.members, findSettings(bounds, path[0] ?? '')].some(
      (rules) => findRule(rules, key, bounds.isEitherCase) === 'bound',
    );
  const parents = path.slice(0, -1).map((name) => [name, toSnake(name)]);
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
  const isKnown = (key: string) => bounds.knows?.(key, baseUrl) !== false;
  if (!given.some(({ each, key }) => each === holder && isKnown(key))) holder[own] = most;
  return true;
}

const asNumber = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as { rawJSON?: string }).rawJSON : value;

/** Lists of tools, those first that others refer to. */
const lists = ['mcp_servers', 'tools', 'functions', 'plugins'];
/** Members that are a tool by themselves. */
const searches = ['web_search_options', 'search_parameters', 'enable_search'];
const choices = ['tool_choice', 'toolChoice', 'function_call', 'toolConfig', 'tool_config', 'parallel_tool_calls'];

function* strip(
  operation: Operation,
  body: Record<string, unknown>,
  isDenied: (tool: EventTool) => boolean,
): Generator<undefined, void> {
  const within = operation.toolsWithin;
  if (within !== undefined) {
    yield* stripWithin(operation, body, within, isDenied);
    return;
  }
  const gone = new Set<string>();
  const isGone = (tool: EventTool) => {
    if (!isDenied(tool)) return false;
    for (const name of tool.names) gone.add(name);
    return true;
  };
  for (const list of lists) {
    if (!Array.isArray(body[list])) continue;
    const read = openReader(operation, body, list);
    const kept: JsonObject[] = [];
    for (const item of asArray(body[list])) {
      kept.push(...keep(asObject(item), read, isGone));
      yield;
    }
    if (kept.length > 0) body[list] = kept;
    else delete body[list];
  }
  for (const member of searches)
    if (body[member] && operation.readTools?.({ [member]: body[member] }).some(isGone)) delete body[member];
  if (gone.size === 0) return;
  for (const choice of choices)
    if (namesOne(body[choice], gone) || (body.tools === undefined && body.functions === undefined)) delete body[choice];
}

/** The same of an object that holds the list; it goes with its last tool. */
function* stripWithin(
  { readTools, toolsWithin: _, ...operation }: Operation,
  body: Record<string, unknown>,
  within: string,
  isDenied: (tool: EventTool) => boolean,
): Generator<undefined, void> {
  const holder: Record<string, unknown> = { ...asObject(body[within]) };
  const read = (each: JsonObject) => readTools?.({ [within]: each }) ?? [];
  yield* strip({ ...operation, readTools: read }, holder, isDenied);
  if (tryTools(() => read(holder))?.length === 0) delete body[within];
  else body[within] = holder;
}

/** Whether a choice holds one of the names, however deep. */
function namesOne(choice: unknown, names: ReadonlySet<unknown>): boolean {
  let isOne = false;
  JSON.stringify(choice, (key, value) => {
    isOne ||= names.has(key) || names.has(value);
    return value;
  });
  return isOne;
}

/** Reads one item of a list at a time, each with the servers alone that it refers to: all together are read as often as there are items. */
function openReader({ readTools }: Operation, body: Record<string, unknown>, list: string): Read {
  const servers = Map.groupBy(list === 'tools' ? asArray(body.mcp_servers) : [], (server) => asObject(server).name);
  return (item) => {
    const own = servers.get(item.mcp_server_name) ?? [];
    const others = own.length === 0 ? {} : { mcp_servers: own };
    return (readTools?.({ ...others, [list]: [item] }) ?? []).slice(own.length);
  };
}

type Read = (item: JsonObject) => EventTool[];

/** A tool may hold others, and some of them stay. */
function keep(item: JsonObject, read: Read, isGone: (tool: EventTool) => boolean): JsonObject[] {
  const named = tryTools(() => read(item));
  // It refers to what is gone.
  if (named === null) return [];
  const denied = named.filter(isGone);
  if (denied.length === 0) return [item];
  if (denied.length === named.length) return [];
  const entries = Object.entries(item);
  // It is read as often as it holds tools.
  const plain = Object.fromEntries(entries.filter(([key, value]) => typeof value !== 'object' && isNaming(key)));
  const stays = (key: string, value: unknown) => !tryTools(() => read({ ...plain, [key]: value }))?.some(isGone);
  const kept = entries.flatMap(([key, value]): [string, unknown][] => {
    if (!Array.isArray(value)) return typeof value !== 'object' || stays(key, value) ? [[key, value]] : [];
    const rest = value.filter((each) => stays(key, [each]));
    return rest.length === 0 ? [] : [[key, rest]];
  });
  return [Object.fromEntries(kept)];
}
