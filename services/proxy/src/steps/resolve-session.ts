import { createHash, randomUUIDv7 } from 'node:crypto';
import { sessionIdPattern } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import type { ProxyContext } from '../context.ts';
import type { Agent, Head } from '../journey.ts';

/**
 * The id of the request's session: the caller's own where it has the form of one, else the same digest each time the
 * agent uses the same name, else the agent's running idle session (decisions.md section 2).
 */
export async function resolveSession(context: ProxyContext, head: Head, agent: Agent): Promise<string> {
  if (head.sessionName === null) {
    return context.idleSessions.resolve(agent.id, () => toPublicId('ses', randomUUIDv7()));
  }
  if (sessionIdPattern.test(head.sessionName)) return head.sessionName;
  const digest = createHash('sha256').update(`${agent.id}\n${head.sessionName}`).digest('base64url');
  return `ses_${digest}`;
}
