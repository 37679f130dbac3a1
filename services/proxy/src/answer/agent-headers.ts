import type { IncomingHttpHeaders } from 'node:http';
import { rolesOf } from '@agp/metering';
import { type HeaderValues, requestIdHeaders } from '../exchange.ts';
import { readNamed } from '../head/outgoing.ts';
import type { AdmittedRequest } from '../journey.ts';
import { maxWarning } from '../limits.ts';

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
  const { head, agent, sessionId, governed, reservation } = request;
  const written = toAgentHeaders(headers);
  written['X-Agent-Id'] = agent.id;
  written['X-Session-Id'] = sessionId;
  written['X-Event-Id'] = head.eventId;
  if (governed.warnings.length > 0) written['X-Agp-Policy-Warning'] = listWarnings(governed.warnings);
  if (reservation.warnings.length > 0) written['X-Agp-Budget-Warning'] = listWarnings(reservation.warnings);
  return Object.assign(written, requestIdHeaders(head.requestId, written['x-request-id']));
}

/** As many as a header may hold, then how many more there are. */
export function listWarnings(warnings: readonly string[]): string {
  let [text = ''] = warnings;
  for (const [at, warning] of warnings.slice(1).entries()) {
    const more = ` and ${warnings.length - at - 1} more`;
    if (text.length + 2 + warning.length + more.length > maxWarning) return `${text}${more}`;
    text += `, ${warning}`;
  }
  return text;
}
