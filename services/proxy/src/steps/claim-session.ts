import { ApiError } from '@agp/core/errors';
import type { Stores, Working } from '../context.ts';
import { mapSessionName } from '../head/session-id.ts';
import type { Agent } from '../identity/workload.ts';
import type { Admission, ChosenSession, Head } from '../journey.ts';

/**
 * Makes a new session the agent's, behind the checks that refuse often: few refused requests leave a row. The first claim of an id
 * wins; an agent with a token that loses continues in a session of its own.
 * @param deadline on the monotonic clock in milliseconds
 * @returns the session that the request belongs to
 * @throws ApiError `session_of_another_agent`, `status_unavailable`
 */
export async function claimSession(
  context: Stores & Working,
  { sessionName }: Head,
  agent: Agent,
  { isProven }: Admission,
  session: ChosenSession,
  deadline: number,
): Promise<string> {
  if (session.isClaimed) return session.id;
  const nameOf = (id: string) => ({ id, name: sessionName === id ? null : sessionName });
  if (await claim(context, nameOf(session.id), agent, deadline)) return session.id;
  const own = mapSessionName(agent.id, session.id);
  if (isProven && (await claim(context, nameOf(own), agent, deadline))) return own;
  throw new ApiError('session_of_another_agent');
}

async function claim(
  context: Stores & Working,
  { id: sessionId, name }: { id: string; name: string | null },
  agent: Agent,
  deadline: number,
): Promise<boolean> {
  let owner = context.sessionOwners.get(sessionId);
  if (owner === undefined) {
    owner = await context.storage.claimSession({ sessionId, agentId: agent.uuid, name }, deadline);
    if (owner !== undefined) context.sessionOwners.set(sessionId, owner);
  }
  return owner === agent.uuid;
}
