import { canDecode } from '@agp/metering';
import { toProviderHeaders } from '../answer/forwarded-headers.ts';
import type { Exchange } from '../exchange.ts';
import type { Head } from '../journey.ts';
import { isCredentialHeader, isCredentialParameter, writeKeyHeader } from '../settings/provider-keys.ts';
import { holdsAgentToken } from './agent-token.ts';
import { cutParameters } from './query-parameters.ts';

/**
 * Headers and query parameters from which frameworks and Google's servers take the method. The provider would then serve another
 * request than the one checked here.
 */
const methodOverride =
  /^(?:x-(?:http-)?method(?:-override)?|x-original-method|x-rewrite-method|\$?httpmethod|[_.[ ]method(?:\[\])?)$/i;

/** Headers from which some servers take the path or the host instead. `X-Forwarded-*` is never forwarded anyway. */
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

/** True if a header or parameter of this name can change the method that a server sees. */
const isMethodOverride = (name: string): boolean => methodOverride.test(name);

/** True if a header of this lower-case name can change the path or host that a server sees. */
const isRerouting = (name: string): boolean => rerouting.has(name);

/**
 * Whether an `Accept-Encoding` allows an encoding that we cannot decode, so that the usage in the answer could not be read.
 */
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

/**
 * The headers and the query as the provider gets them: without agent tokens in any place, without anything that makes a server
 * serve another request, and if a key is configured for the provider, with that key in place of the caller's credentials.
 *
 * @param head the request so far, with the query as it was sent
 * @param token the agent token that the request shows
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
