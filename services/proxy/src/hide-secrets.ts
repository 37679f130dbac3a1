import type { Exchange } from './exchange.ts';
import { toProviderHeaders } from './forwarded-headers.ts';
import type { Head } from './journey.ts';
import { isCredentialHeader, isCredentialParameter, writeKeyHeader } from './provider-key.ts';
import { cutParameters } from './query-parameters.ts';
import { holdsAgentToken } from './read-agent-token.ts';

/** Headers, and a parameter, that frameworks and Google's servers take the method from: it would be another than was allowed. */
const methodOverride = /^(?:x-(?:http-method|http-method-override|method-override)|\$httpmethod)$/i;

/**
 * The headers and the query as the provider gets them: no agent token wherever it stood, and where a key is configured
 * for the provider, that one in place of every credential of the caller (decisions.md section 2). Where not every path
 * is allowed, nothing goes along that makes another request of it.
 *
 * @param head what is known of the request so far, with the query as it was sent
 */
export function hideSecrets(
  { rawHeaders, request }: Exchange,
  { provider, operation, path, query }: Pick<Head, 'provider' | 'operation' | 'path' | 'query'>,
): Pick<Head, 'headers' | 'query'> {
  const { apiKey, allowPaths } = provider;
  const isInjected = apiKey !== null;
  const headers = toProviderHeaders(
    rawHeaders,
    request.headers.connection,
    (name, value) =>
      (isInjected && isCredentialHeader(name)) ||
      (allowPaths !== null && methodOverride.test(name)) ||
      holdsAgentToken(value),
  );
  return {
    headers: isInjected ? { ...headers, ...writeKeyHeader(provider, apiKey, operation, path) } : headers,
    query: cutParameters(
      query,
      ({ name, value }) =>
        (isInjected && isCredentialParameter(name)) ||
        (allowPaths !== null && methodOverride.test(name)) ||
        holdsAgentToken(value),
    ),
  };
}
