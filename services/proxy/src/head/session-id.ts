import { createHash, randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { requestIdPattern, sessionIdPattern } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import { spellsAgentToken } from './agent-token.ts';

/** The form of the ids that {@link mapSessionName} makes. */
const mappedForm = /^ses_[A-Za-z0-9_-]{43}$/;

/** The agent's own session of that name: the same each time, and another one for every other agent. */
export function mapSessionName(agentId: string, name: string): string {
  const digest = createHash('sha256').update(`${agentId}\n${name}`).digest('base64url');
  return `ses_${digest}`;
}

/** A name in the form of an id is the id. */
export function toSessionId(agentId: string, name: string): string {
  return sessionIdPattern.test(name) ? name : mapSessionName(agentId, name);
}

/** Anyone who knows an agent's id can compute such ids, so naming one does not claim it. */
export function hasMappedForm(sessionId: string): boolean {
  return mappedForm.test(sessionId);
}

/**
 * The caller's id if it is short, printable, given once and holds no agent token, since it is recorded and shown; else a new one. It may
 * repeat, so it is never a key.
 */
export function readRequestId({ headersDistinct }: IncomingMessage): string {
  const [id = '', ...others] = headersDistinct['x-request-id'] ?? [];
  const isTaken = others.length === 0 && requestIdPattern.test(id) && !spellsAgentToken(id);
  return isTaken ? id : toPublicId('req', randomUUIDv7());
}
