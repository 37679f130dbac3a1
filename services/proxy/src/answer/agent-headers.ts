import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderValues } from '../exchange.ts';
import { hopByHop, readNamed } from '../head/outgoing.ts';

/** Our own headers, cookies, and commands that would make a web server in front of the proxy serve files of its own. */
const neverToAgent = new Set([
  ...hopByHop,
  'set-cookie',
  'x-agent-id',
  'x-session-id',
  'x-event-id',
  'x-error-code',
  'x-accel-redirect',
  'x-sendfile',
  'x-reproxy-url',
]);
/** Which web pages may read answers is up to this installation, not to a provider; and headers of ours. */
const neverToAgentPrefix = /^(?:proxy-|access-control-|x-agp-|x-budget-)/;

/** The provider's headers for the agent; of our own only `X-Request-Id` may come from the provider. */
export function toAgentHeaders(headers: IncomingHttpHeaders): HeaderValues {
  const named = readNamed(headers.connection);
  const result: HeaderValues = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !neverToAgent.has(name) && !named?.has(name) && !neverToAgentPrefix.test(name)) {
      result[name] = value;
    }
  }
  return result;
}
