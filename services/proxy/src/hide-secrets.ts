import type { Exchange } from './exchange.ts';
import { toProviderHeaders } from './forwarded-headers.ts';
import type { Head } from './journey.ts';
import { isCredentialHeader, isCredentialParameter, writeKeyHeader } from './provider-key.ts';
import { cutParameters } from './query-parameters.ts';
import { holdsAgentToken } from './read-agent-token.ts';

/**
 * The headers and the query as the provider gets them: no agent token wherever it stood, and where a key is configured
 * for the provider, that one in place of every credential of the caller (decisions.md section 2).
 *
 * @param head what is known of the request so far, with the query as it was sent
 */
export function hideSecrets(
  { rawHeaders, request }: Exchange,
  { provider, operation, path, query }: Pick<Head, 'provider' | 'operation' | 'path' | 'query'>,
): Pick<Head, 'headers' | 'query'> {
  const { apiKey } = provider;
  const isInjected = apiKey !== null;
  const headers = toProviderHeaders(
    rawHeaders,
    request.headers.connection,
    (name, value) => (isInjected && isCredentialHeader(name)) || holdsAgentToken(value),
  );
  return {
    headers: isInjected ? { ...headers, ...writeKeyHeader(provider, apiKey, operation, path) } : headers,
    query: cutParameters(
      query,
      ({ name, value }) => (isInjected && isCredentialParameter(name)) || holdsAgentToken(value),
    ),
  };
}
