import { hidesModel } from '@agp/core/bedrock';
import type { EventTool } from '@agp/core/events';
import { isListed, isModelListed } from '@agp/documents';
import type { Policy } from './schema.ts';

type ToolRules = NonNullable<Policy['tools']>;
export type ToolKind = 'client' | 'hosted' | 'remote_mcp';

const toolWords: Record<EventTool['kind'], string> = {
  client: 'tool',
  hosted: 'hosted tool',
  remote_mcp: 'MCP server',
  connector: 'connector',
  tunnel: 'tunnel',
};

export const describeTool = ({ kind, names }: EventTool) => `the ${toolWords[kind]} ${names[0]}`;

/** Tools of another kind than the rule's are allowed. */
export function isAllowedTool(rules: ToolRules, kind: ToolKind, { kind: own, names }: EventTool): boolean {
  const isOf = (patterns: readonly string[]) => names.some((name) => isListed(patterns, name));
  if (kind === 'remote_mcp') {
    const { hosts = [], connectors = [], tunnels = [] } = rules.remote_mcp ?? {};
    const allowed = { remote_mcp: hosts, connector: connectors, tunnel: tunnels };
    return own === 'client' || own === 'hosted' || isOf(allowed[own]);
  }
  const { allow, deny } = rules[kind] ?? {};
  return own !== kind || (!(deny && isOf(deny)) && (allow === undefined || isOf(allow)));
}

export type AllowOrDeny = { allow?: string[] | undefined; deny?: string[] | undefined };

const passes = ({ allow, deny }: AllowOrDeny, isOf: (patterns: readonly string[]) => boolean) =>
  !(deny && isOf(deny)) && (allow === undefined || isOf(allow));

/** @param names all names that it may be known by */
export const isAllowed = (lists: AllowOrDeny, names: readonly string[]) =>
  passes(lists, (patterns) => names.some((name) => isListed(patterns, name)));

/**
 * What is allowed is surely that model; what is denied may also stand behind or before a route that is not known. An ARN that hides its
 * model may stand for one that is denied, unless it is allowed itself.
 */
export const isAllowedModel = ({ allow, deny }: AllowOrDeny, model: string): boolean =>
  passes({ allow }, (patterns) => isModelListed(patterns, model)) &&
  (deny === undefined || allow !== undefined || !hidesModel(model)) &&
  passes({ deny }, (patterns) => listParts(model).some((part) => isModelListed(patterns, part)));

const maxParts = 16;

/** What gateways write between a route, a model and how it is run. */
const separators = /[/:#@()~]+|--/;

/** A model's name, and what stands between the slashes and other separators of routes. */
function listParts(model: string): string[] {
  if (!/[/:#@()~]|--/.test(model)) return [model];
  const parts = model.split(separators).filter(Boolean);
  const slashed = model.replace(/^~/, '').split('/');
  return [model, ...slashed.slice(-maxParts), ...parts.slice(0, maxParts), ...parts.slice(-maxParts)];
}
