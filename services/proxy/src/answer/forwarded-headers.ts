import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderValues } from '../exchange.ts';

/** Headers of the connection, not of the message (RFC 9110 section 7.6.1). */
const hopByHop = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

const neverToProvider = new Set([
  ...hopByHop,
  'host',
  'content-length',
  'expect',
  'cookie',
  'forwarded',
  'http2-settings',
  'max-forwards',
  'x-agent-name',
  'x-agent-token',
  'x-session-id',
  'x-compliance-tag',
]);
const neverToProviderPrefix = /^(?:x-forwarded-|proxy-)/;

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

/** Headers that are for the connection alone; null for the two usual values, which name none that is passed on. */
function readNamed(connection: string | undefined): ReadonlySet<string> | null {
  const names = connection?.toLowerCase() ?? 'close';
  return names === 'keep-alive' || names === 'close' ? null : new Set(names.split(/[\s,]+/));
}

/**
 * The agent's headers for the provider, in their case, without what `isSecret` names (given the lower-case name, one value, the name as
 * written).
 */
export function toProviderHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  isSecret: (name: string, value: string, written: string) => boolean = () => false,
): HeaderValues {
  const named = readNamed(connection);
  const result: HeaderValues = {};
  const spelling = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    const key = name.toLowerCase();
    if (neverToProvider.has(key) || named?.has(key) || neverToProviderPrefix.test(key)) continue;
    if (isSecret(key, value, name)) continue;
    const known = spelling.get(key);
    if (known === undefined) {
      spelling.set(key, name);
      result[name] = value;
    } else {
      result[known] = [result[known] as string | string[], value].flat();
    }
  }
  return result;
}

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
