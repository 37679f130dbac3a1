import type { EventTool } from '@agp/core/events';
import { asText, type JsonObject } from '../json/members.ts';

/** More tools than any agent has: a request with more cannot be read. */
export const maxNamedTools = 5_000;

/** Thrown by readers of tools for what they cannot be sure of. */
export class UnreadTool extends Error {}

export function nameTool(kind: EventTool['kind'], ...names: unknown[]): EventTool {
  const known = [...new Set(names.map(asText).filter((name) => name !== null && name !== ''))] as string[];
  if (known.length === 0) throw new UnreadTool();
  return { kind, names: known };
}

/** By its host, in lower case and without its port, as a URL parser reads it. */
export function nameServer(url: unknown): EventTool {
  const text = asText(url) ?? '';
  if (!URL.canParse(text)) throw new UnreadTool();
  return nameTool('remote_mcp', new URL(text).hostname.replace(/\.$/, ''));
}

/** A list that is absent has no tools; anything else than a list cannot be read. */
export function listObjects(value: unknown): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'object' || item === null)) throw new UnreadTool();
  return value;
}

export type CalledTool = EventTool;

/** What an answer names that rules ask for. */
export interface AnswerNames {
  /** That answered, as the answer itself says. */
  model: string | null;
  called: readonly CalledTool[];
}

export interface AnswerNaming {
  /** Finds frames in which a call is named; in text the quotes would be escaped. */
  readonly marks: RegExp;
  /** @param value a whole answer, a frame of a stream or a line of results */
  read(value: JsonObject): AnswerNames;
}

/** A call whose name comes later, or never, is none yet. */
export function callTool(kind: EventTool['kind'], ...names: unknown[]): CalledTool[] {
  const known = [...new Set(names.map(asText).filter((name) => name !== null && name !== ''))] as string[];
  return known.length === 0 ? [] : [{ kind, names: known }];
}
