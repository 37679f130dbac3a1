import type { Exchange } from '../edge/exchange.ts';
import { isMethodOverride, isRerouting } from '../edge/names-another-request.ts';
import { asksUnreadable } from '../head/asks-unreadable.ts';
import { holdsAgentToken } from '../head/holds-agent-token.ts';
import { cutParameters } from '../head/query-parameters.ts';
import type { Head } from '../journey.ts';
import { isCredentialHeader, isCredentialParameter, writeKeyHeader } from '../settings/provider-key.ts';
import { toProviderHeaders } from './forwarded-headers.ts';

/** With them a server answers in part, or that nothing has changed, and tells no figures. */
const partial = new Set(['range', 'if-range', 'if-none-match', 'if-modified-since']);

/**
 * The headers and the query as the provider gets them: no agent token wherever it stood, nothing that makes another request
 * of this one, and where a key is configured for the provider, that one in place of every credential of the caller.
 *
 * @param head what is known of the request so far, with the query as it was sent
 * @param token the agent token that the request shows
 */
export function hideSecrets(
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
