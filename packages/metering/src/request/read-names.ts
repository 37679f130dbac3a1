import type { EventTool } from '@agp/core/events';
import type { Geo } from '@agp/core/geos';
import { foldName } from '../dialects/bounds.ts';
import { findUnknown, knownParameters } from '../dialects/known-members.ts';
import { isPlainlySpelled, maxNamedTools, tryTools } from '../dialects/named-tools.ts';
import { decodeName, type Operation, toPlainPath } from '../dialects/operation.ts';
import { readAskedGeo, readStored, type Stored } from '../dialects/stored.ts';
import { isForm } from '../json/form.ts';
import { asArray, asObject, asText, type JsonObject } from '../json/members.ts';
import type { ReadBody } from '../json/scan.ts';
import { isWholePath } from '../match-operation.ts';
import type { BodyForm } from './strict-demand.ts';

/** What a request names; null if it cannot be read, or several servers may read it differently. */
export interface CallNames {
  /** It was read so that rules are sure of it, repeated members and all. */
  isSure: boolean;
  /** All that may answer. */
  models: readonly string[] | null;
  tools: readonly EventTool[] | null;
  /** What no table knows and that could name a model or bring a tool; null if all is known, or nothing could be read. */
  unread: string | null;
  /** Where it asks to be processed, and what keeps it, if it says so; null if it cannot be read. */
  where: { geo: Geo | null | undefined; stores: Stored | undefined } | null;
}

/** Google's bodies name models with their path, which is the same model. */
export const toModelName = (name: string): string =>
  name.replace(/^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?models\//, '');

/** The same for rules, to which another publisher's model is another one. */
const toRuledName = (name: string): string =>
  name
    .replace(/^projects\/[^/]+\/locations\/[^/]+\/(?!endpoints)/, '')
    .replace(/^(?:publishers\/(?:google|anthropic)\/)?models\//, '')
    .replace(/^publishers\/([^/]+)\/models\//, '$1/');

/** The path's model by all of its name. */
export function nameByPath(path: string, model: string): string {
  const [, holder] =
    /((?:publishers\/[^/]+\/)?(?:models|tunedModels|endpoints))\/[^/:]+:/.exec(toPlainPath(path)) ?? [];
  return holder === undefined ? model : toRuledName(`${holder}/${model}`);
}

/** More models than any request names: each is priced, and compared with each policy. */
export const maxNamedModels = 100;

const maxShown = 64;
const show = (name: string) => name.replace(/[^\x20-\x7e]/g, '?').slice(0, maxShown);

interface Asked {
  form: BodyForm;
  path: string;
  query: string;
  /** Models that its head names, and its members where no dialect is asked. */
  models: readonly (string | null)[];
  /** The head or the one call says which model is to answer. */
  isNamed: boolean;
  /** A rule asks, so that no two servers may read it differently. */
  mustName: boolean;
  /** Members that the provider's operator vouches for. */
  harmless: readonly string[];
}

export function readNames(operation: Operation, body: ReadBody, asked: Asked): CallNames {
  const { form, path, query, isNamed, mustName, harmless } = asked;
  const root = asObject(body.value);
  const calls = operation.listCalls ? operation.listCalls(root) : [root];
  const isRead =
    body.isExact && (!mustName || (isReadAlike(form, body) && [root, ...(calls ?? [])].every(isPlainlySpelled)));
  const nothing = { isSure: mustName, models: null, tools: null, where: null };
  if (!isRead || calls === null) return { ...nothing, unread: null };
  const { models: queried, unknown } = readQuery(query);
  const unread = isWholePath(path) ? (unknown ?? findUnknownMember(operation, root, calls, harmless)) : 'its path';
  if (unread !== null) return { ...nothing, unread };
  const named: (string | null)[] = [...asked.models.filter((name) => name !== null), ...queried];
  // Vertex AI's endpoint serves what was deployed to it, whatever the body says.
  const [, endpoint] = /\/endpoints\/(?!openapi(?:\/|$))([^/:]+)\//.exec(toPlainPath(path)) ?? [];
  if (endpoint !== undefined) named.push(`endpoints/${endpoint}`);
  for (const call of calls) {
    if (typeof call.model === 'string' && call.model !== '') named.push(call.model);
    // Gateways take a list beside the model, in all formats.
    if (call.models !== undefined) named.push(...(Array.isArray(call.models) ? call.models.map(asText) : [null]));
    if (operation.listModels) named.push(...operation.listModels(call));
  }
  const distinct = new Set<string>();
  let areAll = isNamed || (calls.length > 0 && calls.every(namesOne));
  for (const name of named) {
    if (name === null || !/^[\x21-\x2b\x2d-\x7e]{1,256}$/.test(name)) areAll = false;
    else distinct.add(name.includes('models/') ? toRuledName(name) : name);
  }
  areAll &&= distinct.size > 0 && distinct.size <= maxNamedModels;
  let stored: string | null = null;
  const tools = readTools(operation, calls, (member) => {
    stored = `what the member "${member}" refers to`;
  });
  const { stores, geoMember } = operation;
  const where = {
    geo: geoMember === undefined ? undefined : readAskedGeo(geoMember, calls),
    stores: typeof stores === 'string' ? stores : readStored(stores ?? {}, root, tools),
  };
  return { isSure: mustName, models: areAll ? [...distinct] : null, tools, unread: stored, where };
}

/** Models that a query names, as some servers take them there, and the first parameter that no table knows. */
function readQuery(query: string): { models: string[]; unknown: string | null } {
  const models: string[] = [];
  let unknown: string | null = null;
  // Some server may decode it twice.
  const readings = query === '' ? [] : new Set([query, decodeName(query)]);
  for (const reading of readings)
    for (const [name, value] of new URLSearchParams(reading.replaceAll(';', '&'))) {
      if (/^models?(?:\[\d*\])?$/.test(foldName(name))) models.push(value);
      else if (!knownParameters.has(name) && !/^(?:[\d.]*|true|false)$/i.test(value))
        unknown ??= `the parameter "${show(name)}"`;
    }
  return { models, unknown };
}

function findUnknownMember(
  { known = {}, knownOfCalls = {} }: Operation,
  root: JsonObject,
  calls: readonly JsonObject[],
  harmless: readonly string[],
): string | null {
  let found = findUnknown(known, root, harmless);
  for (const call of calls) if (call !== root) found ??= findUnknown(knownOfCalls, call, harmless);
  return found && `the member "${show(found)}"`;
}

const namesOne = ({ model, models }: JsonObject) => Boolean(asText(model)) || asArray(models).length > 0;

const jsonType =
  /^\s*(?:(?:text\/plain|application\/(?:[\w.-]+\+)?json)\s*(?:;\s*charset\s*=\s*"?(?:utf-?8|us-ascii)"?\s*)?;?\s*)?$/i;

/** Whether all servers read the same body: not encoded past us, of one type, and without a member that is given twice. */
function isReadAlike({ contentType, contentEncoding, decoded }: BodyForm, { doubt }: ReadBody): boolean {
  const isDecoded = Boolean(decoded) || /^\s*(?:identity)?\s*$/i.test(contentEncoding);
  return isDecoded && doubt === null && (isForm(contentType) || jsonType.test(contentType));
}

/** Members that bring tools at some server, for operations that know of none. */
const toolLists = ['tools', 'functions', 'mcp_servers', 'plugins'];

function readTools(
  { readTools: read }: Operation,
  calls: readonly JsonObject[],
  onMember: (name: string) => void,
): EventTool[] | null {
  if (read === undefined) return calls.some((call) => toolLists.some((list) => call[list])) ? null : [];
  const readAll = () => (calls.length === 1 ? read(calls[0] as JsonObject) : calls.flatMap((call) => read(call)));
  const tools = tryTools(readAll, onMember);
  return tools === null || tools.length > maxNamedTools ? null : tools;
}
