import { randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import type { ProxyContext } from '../context.ts';
import { hasMappedForm, mapSessionName, toSessionId } from '../head/session-id.ts';
import type { Admission, Agent, Head, Session } from '../journey.ts';

/**
 * The request's session: the caller's own id where it has the form of one, else the same digest each time the agent uses the same name, else
 * the agent's running idle session. Where an agent has proven who it is, no other can keep it out by using an id first: it gets the
 * digest of its own for that id.
 *
 * @throws ApiError `session_of_another_agent` for an agent that has proven nothing
 */
export async function resolveSession(
  context: ProxyContext,
  head: Head,
  agent: Agent,
  { isProven, sessionOwner }: Admission,
): Promise<Session> {
  const { sessionName } = head;
  const known = (id: string): Session => ({ id, isClaimed: context.sessionOwners.get(id) === agent.uuid });
  if (sessionName === null) {
    return known(await context.idleSessions.resolve(agent.id, () => toPublicId('ses', randomUUIDv7())));
  }
  const id = toSessionId(agent.id, sessionName);
  if (sessionOwner === agent.uuid) return { id, isClaimed: true };
  if (sessionOwner !== null && !isProven) throw new ApiError('session_of_another_agent');
  const isFree = sessionOwner === null && !(id === sessionName && hasMappedForm(id));
  return known(isFree ? id : mapSessionName(agent.id, id));
}
