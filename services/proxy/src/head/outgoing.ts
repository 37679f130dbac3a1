import { canDecode } from '@agp/metering';
import type { Exchange, HeaderValues } from '../exchange.ts';
import type { Head } from '../journey.ts';
import { isCredentialHeader, isCredentialParameter, writeKeyHeader } from '../settings/provider-keys.ts';
import { holdsAgentToken } from './agent-token.ts';
import { cutParameters } from './query-parameters.ts';

/**
 * Frameworks and Google's servers take the method from these: the provider would serve another request than the one checked.
 */
const methodOverride =
  /^(?:x-(?:http-)?method(?:-override)?|x-original-method|x-rewrite-method|\$?httpmethod|[_.[ ]method(?:\[\])?)$/i;

/** Some servers take the path or the host from these. `X-Forwarded-*` is never forwarded anyway. */
const rerouting = new Set([
  'x-original-url',
  'x-original-uri',
  'x-original-path',
  'x-original-host',
  'x-rewrite-url',
  'x-rewrite-uri',
  'x-override-url',
  'x-request-uri',
  'x-envoy-original-path',
  'x-envoy-original-method',
  'x-envoy-original-host',
  'x-host',
  'x-http-host-override',
]);

const isMethodOverride = (name: string): boolean => methodOverride.test(name);

const isRerouting = (name: string): boolean => rerouting.has(name);

/** Whether the answer could come in an encoding that we cannot decode, its usage unread. */
export function asksUnreadable(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((item) => {
    const [coding = '', ...parameters] = item.toLowerCase().split(';');
    const name = coding.trim();
    const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
    return name !== '' && name !== 'identity' && !isRefused && !canDecode(name);
  });
}

/** Headers for a partial or unchanged answer, which has no usage. */
const partial = new Set(['range', 'if-range', 'if-none-match', 'if-modified-since']);

/** Headers of the connection, not of the message (RFC 9110 section 7.6.1). */
export const hopByHop = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

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

/** Headers that are for the connection alone; null for the two usual values, which name none that is passed on. */
export function readNamed(connection: string | undefined): ReadonlySet<string> | null {
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

/**
 * Headers and query for the provider: without agent tokens, without what makes a server serve another request, and with the configured
 * key, if any, in place of the caller's.
 */
export function buildOutgoing(
  { rawHeaders, request }: Exchange,
  { provider, operation, path, query }: Pick<Head, 'provider' | 'operation' | 'path' | 'query'>,
  token: string | null,
): Pick<Head, 'headers' | 'query'> {
  const { apiKey } = provider;
  const isInjected = apiKey !== null;
  const isBilled = operation !== null && !operation.isFree;
  const headers = toProviderHeaders(
    rawHeaders,
    request.headers.connection,
    (name, value, written) =>
      (isInjected && isCredentialHeader(name)) ||
      (isBilled && (partial.has(name) || (name === 'accept-encoding' && asksUnreadable(value)))) ||
      isMethodOverride(name) ||
      isRerouting(name) ||
      holdsAgentToken(value, token) ||
      holdsAgentToken(written, token),
  );
  return {
    headers: isInjected ? { ...headers, ...writeKeyHeader(provider, apiKey, operation, path) } : headers,
    query: cutParameters(
      query,
      ({ names, text }) =>
        names.some((name) => (isInjected && isCredentialParameter(name)) || isMethodOverride(name)) ||
        holdsAgentToken(text, token),
    ),
  };
}
