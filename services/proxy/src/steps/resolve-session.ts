import { randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import type { Stores, Working } from '../context.ts';
import { hasMappedForm, mapSessionName, toSessionId } from '../head/session-id.ts';
import type { Agent } from '../identity/workload.ts';
import type { Admission, ChosenSession, Head } from '../journey.ts';

/**
 * The named id, else a digest of name and agent, else the agent's current session, which ends when idle. Who uses an id first cannot lock
 * out an agent with a token: that one gets its own digest for it.
 * @throws ApiError `session_of_another_agent` for an agent that has proven nothing
 */
export async function resolveSession(
  context: Stores & Working,
  head: Head,
  agent: Agent,
  { isProven, sessionOwner }: Admission,
): Promise<ChosenSession> {
  const { sessionName } = head;
  const known = (id: string): ChosenSession => ({ id, isClaimed: context.sessionOwners.get(id) === agent.uuid });
  if (sessionName === null) {
    return known(await context.idleSessions.resolve(agent.id, () => toPublicId('ses', randomUUIDv7())));
  }
  const id = toSessionId(agent.id, sessionName);
  if (sessionOwner === agent.uuid) return { id, isClaimed: true };
  if (sessionOwner !== null && !isProven) throw new ApiError('session_of_another_agent');
  const isFree = sessionOwner === null && !(id === sessionName && hasMappedForm(id));
  return known(isFree ? id : mapSessionName(agent.id, id));
}
