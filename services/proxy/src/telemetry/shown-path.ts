import { toEventText } from '@agp/core/events';
import { resemblesAgentToken } from '../head/agent-token.ts';
import { parseTarget, type Target } from '../head/target.ts';
import { maxListedPath } from '../limits.ts';

/** Cut for lists and logs; null if something like an agent token is in it. */
export function toListedPath(path: string): string | null {
  return resemblesAgentToken(path) ? null : toEventText(path, maxListedPath);
}

/**
 * For traces: without the query and the agent's name; null for a target that cannot be parsed or holds an agent token.
 */
export function toShownPath(target: string): string | null {
  if (parse(target) === null) return null;
  const [path = ''] = target.split('?', 1);
  if (resemblesAgentToken(path)) return null;
  return path.replace(/^\/agents\/[^/]*/, '') || '/';
}

/** What lists show, as far as the target of a refused request says it. */
export function describeTarget(
  providers: ReadonlyMap<string, unknown>,
  target: string,
): { provider: string | null; path: string | null } {
  const id = parse(target)?.providerId ?? '';
  const path = toShownPath(target);
  return { provider: providers.has(id) ? id : null, path: path && toEventText(path, maxListedPath) };
}

function parse(target: string): Target | null {
  try {
    return parseTarget(target);
  } catch {
    return null;
  }
}
