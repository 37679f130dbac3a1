import { holdsAgentToken, spellsAgentToken } from './holds-agent-token.ts';
import { parseTarget } from './parse-target.ts';

/**
 * The path of a request's target for logs and lists, with the provider, and without the query and the agent's name. Null for a target
 * that cannot be parsed or has an agent token in its path.
 */
export function toShownPath(target: string): string | null {
  try {
    parseTarget(target);
  } catch {
    return null;
  }
  const [path = ''] = target.split('?', 1);
  if (holdsAgentToken(path) || spellsAgentToken(path)) return null;
  return path.replace(/^\/agents\/[^/]*/, '') || '/';
}
