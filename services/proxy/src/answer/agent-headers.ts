import type { IncomingHttpHeaders } from 'node:http';
import { rolesOf } from '@agp/metering';
import { type HeaderValues, requestIdHeaders } from '../exchange.ts';
import { readNamed } from '../head/outgoing.ts';
import type { AdmittedRequest } from '../journey.ts';

/** The provider's headers for the agent; of our own only `X-Request-Id` may come from the provider. */
export function toAgentHeaders(headers: IncomingHttpHeaders): HeaderValues {
  const named = readNamed(headers.connection);
  const result: HeaderValues = {};
  for (const name in headers) {
    const value = headers[name];
    const roles = rolesOf(name);
    if (value !== undefined && !roles.has('connection') && !roles.has('answered') && !named?.has(name))
      result[name] = value;
  }
  return result;
}

/** The provider's headers, with those by which the agent finds its call again and learns of warnings. */
export function writeAgentHeaders(request: AdmittedRequest, headers: IncomingHttpHeaders): HeaderValues {
  const { head, agent, sessionId, governed } = request;
  const written = toAgentHeaders(headers);
  written['X-Agent-Id'] = agent.id;
  written['X-Session-Id'] = sessionId;
  written['X-Event-Id'] = head.eventId;
  if (governed.warnings.length > 0) written['X-Agp-Policy-Warning'] = governed.warnings.join(', ');
  return Object.assign(written, requestIdHeaders(head.requestId, written['x-request-id']));
}
