import { createHash } from 'node:crypto';
import { sessionIdPattern } from '@agp/core/events';

/** What {@link mapSessionName} makes. */
const mappedForm = /^ses_[A-Za-z0-9_-]{43}$/;

/** The agent's own session of that name: the same each time, and another one for every other agent. */
export function mapSessionName(agentId: string, name: string): string {
  const digest = createHash('sha256').update(`${agentId}\n${name}`).digest('base64url');
  return `ses_${digest}`;
}

/** The id that a caller's name of a session stands for, unless that belongs to another agent: a name that has the form of an id is one. */
export function toSessionId(agentId: string, name: string): string {
  return sessionIdPattern.test(name) ? name : mapSessionName(agentId, name);
}

/**
 * Whether an id could be the one that a name of some agent is mapped to. Whoever knows an agent's id can work those out, so nobody may be the
 * first to use such an id by naming it.
 */
export function hasMappedForm(sessionId: string): boolean {
  return mappedForm.test(sessionId);
}
