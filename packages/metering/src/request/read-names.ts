import type { EventTool } from '@agp/core/events';
import { foldName } from '../dialects/bounds.ts';
import { isPlainlySpelled, maxNamedTools, UnreadTool } from '../dialects/named-tools.ts';
import type { Operation } from '../dialects/operation.ts';
import { isForm } from '../json/form.ts';
import { asArray, asObject, asText, type JsonObject } from '../json/members.ts';
import type { ReadBody } from '../json/scan.ts';
import type { BodyForm } from './strict-demand.ts';

/** What a request names; null if it cannot be read, or several servers may read it differently. */
export interface CallNames {
  /** It was read so that rules are sure of it, repeated members and all. */
  isSure: boolean;
  /** All that may answer. */
  models: readonly string[] | null;
  tools: readonly EventTool[] | null;
}

/** Google's bodies name models with their path, which is the same model. */
export const toModelName = (name: string): string =>
  name.replace(/^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?models\//, '');

/** Models that a query names: some servers take them there. */
const listQueried = (query: string) =>
  [...new URLSearchParams(query.replaceAll(';', '&'))].flatMap(([name, value]) =>
    /^models?$/.test(foldName(name)) ? [value] : [],
  );

/** More models than any request names. */
const maxNamedModels = 1_000;

interface Asked {
  form: BodyForm;
  /** Models that its head and its members name. */
  models: readonly string[];
  /** The head or the one call says which model is to answer. */
  isNamed: boolean;
  query: string;
  /** A rule asks, so that no two servers may read it differently. */
  mustName: boolean;
}

export function readNames(operation: Operation, body: ReadBody, asked: Asked): CallNames {
  const { form, models, isNamed, query, mustName } = asked;
  const root = asObject(body.value);
  const calls = operation.listCalls ? operation.listCalls(root) : [root];
  const isRead =
    body.isExact && (!mustName || (isReadAlike(form, body) && [root, ...(calls ?? [])].every(isPlainlySpelled)));
  if (!isRead || calls === null) return { isSure: mustName, models: null, tools: null };
  const named: (string | null)[] = query === '' ? [...models] : [...models, ...listQueried(query)];
  for (const call of calls) {
    if (typeof call.model === 'string' && call.model !== '') named.push(call.model);
    // Gateways take a list beside the model, in all formats.
    if (call.models !== undefined) named.push(...(Array.isArray(call.models) ? call.models.map(asText) : [null]));
    if (operation.listModels) named.push(...operation.listModels(call));
  }
  const distinct = new Set<string>();
  let areAll = isNamed || (calls.length > 0 && calls.every(namesOne));
  for (const name of named) {
    if (name === null || !/^[\x21-\x7e]{1,256}$/.test(name)) areAll = false;
    else distinct.add(name.includes('models/') ? toModelName(name) : name);
  }
  areAll &&= distinct.size > 0 && distinct.size <= maxNamedModels;
  return { isSure: mustName, models: areAll ? [...distinct] : null, tools: readTools(operation, calls) };
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

function readTools({ readTools: read }: Operation, calls: readonly JsonObject[]): EventTool[] | null {
  if (read === undefined) return calls.some((call) => toolLists.some((list) => call[list])) ? null : [];
  try {
    const tools = calls.length === 1 ? read(calls[0] as JsonObject) : calls.flatMap((call) => read(call));
    return tools.length > maxNamedTools ? null : tools;
  } catch (error) {
    if (error instanceof UnreadTool) return null;
    throw error;
  }
}
