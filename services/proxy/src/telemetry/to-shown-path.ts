import { holdsAgentToken, spellsAgentToken } from '../head/holds-agent-token.ts';
import { parseTarget } from '../head/parse-target.ts';

/**
 * The path of a request that was refused before its head was read, as a span may show it: without the query and the agent's name. Null
 * where the target cannot be read, and may be anything, or has an agent token in its path.
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
