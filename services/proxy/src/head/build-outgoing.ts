import { toProviderHeaders } from '../answer/forwarded-headers.ts';
import type { Exchange } from '../edge/exchange.ts';
import { isMethodOverride, isRerouting } from '../edge/names-another-request.ts';
import type { Head } from '../journey.ts';
import { isCredentialHeader, isCredentialParameter, writeKeyHeader } from '../settings/provider-key.ts';
import { asksUnreadable } from './asks-unreadable.ts';
import { holdsAgentToken } from './holds-agent-token.ts';
import { cutParameters } from './query-parameters.ts';

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
