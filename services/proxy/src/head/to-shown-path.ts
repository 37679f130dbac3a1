import { toEventText } from '@agp/core/events';
import { holdsAgentToken, spellsAgentToken } from './holds-agent-token.ts';
import { parseTarget, type Target } from './parse-target.ts';

const maxListedLength = 512;

/** A path for lists and logs, cut; null if something like an agent token is in it. */
export function toListedPath(path: string): string | null {
  return holdsAgentToken(path) || spellsAgentToken(path) ? null : toEventText(path, maxListedLength);
}

/**
 * The path of a request's target for traces, with the provider, and without the query and the agent's name. Null for a target
 * that cannot be parsed or has an agent token in its path.
 */
export function toShownPath(target: string): string | null {
  if (parse(target) === null) return null;
  const [path = ''] = target.split('?', 1);
  if (holdsAgentToken(path) || spellsAgentToken(path)) return null;
  return path.replace(/^\/agents\/[^/]*/, '') || '/';
}

/** The provider and path of a refused request for lists, as far as its target says them: nothing else of it need be in order. */
export function describeTarget(
  providers: ReadonlyMap<string, unknown>,
  target: string,
): { provider: string | null; path: string | null } {
  const id = parse(target)?.providerId ?? '';
  const path = toShownPath(target);
  return {
    provider: providers.has(id) ? id : null,
    path: path === null ? null : toEventText(path, maxListedLength),
  };
}

function parse(target: string): Target | null {
  try {
    return parseTarget(target);
  } catch {
    return null;
  }
}
