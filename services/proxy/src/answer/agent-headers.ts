import type { IncomingHttpHeaders } from 'node:http';
import { rolesOf } from '@agp/metering';
import type { HeaderValues } from '../exchange.ts';
import { readNamed } from '../head/outgoing.ts';

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
