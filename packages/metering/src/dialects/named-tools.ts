import type { EventTool } from '@agp/core/events';
import { asText, type JsonObject } from '../json/members.ts';
import { listWords } from '../words/words.ts';
import { foldName, longestName } from './bounds.ts';

/** More tools than any agent has: a request with more cannot be read. */
export const maxNamedTools = 1_000;
/** APIs take 64 or 128; patterns take time with a name's length. */
export const maxName = 256;

/** Thrown by readers of tools for what they cannot be sure of; its message is the member that refers to it, if one does. */
export class UnreadTool extends Error {}

/** Null if a reader is not sure of them. @param onMember gets the member that refers to some */
export function tryTools(read: () => EventTool[], onMember?: (name: string) => void): EventTool[] | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadTool)) throw error;
    if (error.message !== '') onMember?.(error.message);
    return null;
  }
}

/** What is stored at the provider may bring tools of its own. @throws UnreadTool for the first member that refers to such */
export function assureNotStored(members: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(members)) if (value) throw new UnreadTool(name);
}

export function nameTool(kind: EventTool['kind'], ...names: unknown[]): EventTool {
  const [tool] = callTool(kind, ...names);
  if (tool === undefined || tool.names.some((name) => name.length > maxName)) throw new UnreadTool();
  return tool;
}

/** Tools of Anthropic's that the agent runs, whatever format they are offered in. */
export const ranByAgent = /^(?:bash|text_editor|memory|computer|browser)_\d{8}$/;

/** OpenRouter's search is a plugin and a tool. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  web: ['web_search'],
  'openrouter:web_search': ['web_search'],
};

/** A hosted tool is named by its type, with and without a date; a spelling that servers may take for another type cannot be read. */
export function nameTyped(kind: EventTool['kind'], type: unknown, ...others: unknown[]): EventTool {
  const name = asText(type) ?? '';
  if (!/^[a-z0-9_.:/-]+$/.test(name)) throw new UnreadTool();
  const plain = name.replace(/(?:_preview)?(?:_\d{4}_\d{2}_\d{2}|_\d{8})?$/, '');
  return nameTool(kind, ...others, ...(aliases[plain] ?? []), plain, name);
}

const plainHost = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]/?#@]*\]|[^:/?#@[\]]+)(?::\d*)?(?:[/?#]|$)/i;

/** An MCP server is named by its host, in lower case and without its port; a URL that parsers read in two ways cannot be read. */
export function nameServer(url: unknown): EventTool {
  const text = asText(url) ?? '';
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\') || !URL.canParse(text)) throw new UnreadTool();
  const { hostname } = new URL(text);
  if (plainHost.exec(text)?.[1]?.toLowerCase() !== hostname) throw new UnreadTool();
  return nameTool('remote_mcp', hostname.replace(/\.$/, ''));
}

/** A list that is absent has no tools; anything else than a list cannot be read. */
export function listObjects(value: unknown): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (
    !Array.isArray(value) ||
    !value.every((item) => typeof item === 'object' && item !== null && isPlainlySpelled(item))
  )
    throw new UnreadTool();
  return value;
}

const words = new Set(listWords('naming'));
const foldedWords = new Set([...words].map(foldName));

export const isNaming = (member: string): boolean => words.has(member);

/** More than any request or tool has. */
const maxMembers = 1_000;

/** Whether no server that ignores case, or takes names in snake_case and in camelCase, reads other members than we do. */
export function isPlainlySpelled(object: JsonObject): boolean {
  const keys = Object.keys(object);
  if (keys.length > maxMembers || keys.some(({ length }) => length > longestName)) return false;
  if (!/[^a-z_,]/.test(keys.join())) return true;
  const seen = new Set<string>();
  return keys.every((key) => {
    const name = foldName(key);
    return !foldedWords.has(name) || (words.has(key) && seen.size < seen.add(name).size);
  });
}

const maxDepth = 8;

/** Members that are looked at of one tool. */
const maxLooked = 2_000;

/** Models that a tool of the provider's names, such as an adviser's, wherever within it; null for what lies too deep, or behind too much. */
export function listToolModels(tool: JsonObject, depth = 0, seen = { members: 0 }): (string | null)[] {
  if (tool.type === 'function' || tool.type === 'custom') return [];
  const entries = Object.entries(tool);
  seen.members += entries.length;
  if (depth > maxDepth || seen.members > maxLooked) return [null];
  return entries.flatMap(([key, value]) => {
    const isName = /(?:models?|deployment)(?:name)?$/.test(foldName(key));
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((each) => {
      if (typeof each === 'object' && each !== null) return listToolModels(each as JsonObject, depth + 1, seen);
      return isName && typeof each === 'string' && each !== '' ? [each] : [];
    });
  });
}

/** Models that search before they answer, or work for hours, without being asked to. */
export const searching = /:online|(?<![a-z])search|sonar|deep-research|\bcompound\b/i;

/** What an answer names that rules ask for. */
export interface AnswerNames {
  /** The model that answered, as the answer itself says. */
  model: string | null;
  called: readonly EventTool[];
}

export interface AnswerNaming {
  /** One of these parts of JSON stands wherever a call is named; in text its quotes would be escaped. */
  readonly marks: readonly string[];
  /** @param value a whole answer, a frame of a stream or a line of results */
  read(value: JsonObject): AnswerNames;
  /** Tools whose names come in pieces, as far as they have come. @param begun names so far, by call; kept for one stream */
  join?(value: JsonObject, begun: Map<string, string>): EventTool[];
}

/** A call is named by the names that have come: one whose name comes later, or never, is no call yet. */
export function callTool(kind: EventTool['kind'], ...names: unknown[]): EventTool[] {
  const known = [...new Set(names.map(asText).filter((name) => name !== null && name !== ''))] as string[];
  return known.length === 0 ? [] : [{ kind, names: known }];
}

/** Whether an answer, or a part of it, may call a tool. */
export const mayCall = ({ marks }: AnswerNaming, data: string | Buffer): boolean =>
  marks.some((mark) => data.includes(mark));

const modelMembers = /"(?:model|modelVersion)"\s*:\s*"([^"]*)"/g;
const modelMember = new RegExp(`^${modelMembers.source}`);

/** A member whose name is escaped could be any. */
const escapedMember = /"[^"\\]*\\u[^"]*"\s*:/;

/** More than any answer has of this member. */
const maxModelMembers = 10_000;
const longestModelMember = 300;

/** All models that an answer may name, without parsing it; null if it must be parsed, since it may call a tool, or hide a name. */
export function listModels(naming: AnswerNaming, bytes: Buffer): (string | null)[] | null {
  if (mayCall(naming, bytes) || (bytes.includes('\\u') && escapedMember.test(bytes.toString('latin1')))) return null;
  const models = new Set<string>();
  let members = 0;
  for (let at = bytes.indexOf('"model'); at >= 0; at = bytes.indexOf('"model', at + 1)) {
    const [, name = null] = modelMember.exec(bytes.toString('latin1', at, at + longestModelMember)) ?? [];
    members += 1;
    if (members > maxModelMembers || name?.includes('\\')) return null;
    if (name !== null) models.add(name);
  }
  return models.size === 0 ? [null] : [...models];
}

/** Names of one call are joined no further. */
const maxCalls = 1_000;

/** Reads a stream's frames one after the other. */
export class StreamNames {
  readonly #naming: AnswerNaming;
  readonly #begun = new Map<string, string>();
  #model: string | null = null;

  constructor(naming: AnswerNaming) {
    this.#naming = naming;
  }

  /** Whether a frame may call a tool. @param data as it was sent */
  mayCall(data: string): boolean {
    return mayCall(this.#naming, data);
  }

  /** Whether a frame may name what was not named before. @param data as it was sent */
  mayName(data: string): boolean {
    // Escapes may stand in names of members too.
    return this.#model === null || mayCall(this.#naming, data) || data.includes('\\u') || this.#namesOther(data);
  }

  read(value: JsonObject): AnswerNames {
    const names = this.#naming.read(value);
    this.#model ??= names.model;
    const joined = this.#begun.size > maxCalls ? [] : (this.#naming.join?.(value, this.#begun) ?? []);
    return joined.length === 0 ? names : { ...names, called: [...names.called, ...joined] };
  }

  #namesOther(data: string): boolean {
    for (const [, name] of data.matchAll(modelMembers)) if (name !== this.#model) return true;
    return false;
  }
}
