import type { IncomingMessage } from 'node:http';
import { agentTokenPrefix } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { readToken } from './holds-agent-token.ts';
import { findParameters } from './query-parameters.ts';

/** The headers in which SDKs send a key. An agent token in them is known by its prefix. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/**
 * Finds the agent token of a request. It is a secret: only its digest leaves `readHead`.
 *
 * @param query the request's, with its question mark
 * @returns null without a token
 * @throws ApiError `malformed_request` for two different tokens; `unauthorized_agent` if `X-Agent-Token` holds something else
 */
export function readAgentToken({ headersDistinct }: IncomingMessage, query: string): string | null {
  const own = (headersDistinct['x-agent-token'] ?? []).map((value) => value.trim());
  const inKeyHeaders = keyHeaders.flatMap((name) => headersDistinct[name] ?? []);
  const inQuery = findParameters(query, (name) => name === 'key').map(({ value }) => value);
  if (own.some((value) => !value.startsWith(agentTokenPrefix))) throw new ApiError('unauthorized_agent');
  const elsewhere = [...inKeyHeaders, ...inQuery].map(readToken).filter((token) => token !== null);
  const tokens = new Set([...own, ...elsewhere]);
  if (tokens.size > 1) throw new ApiError('malformed_request', 'two different agent tokens are given');
  const [token = null] = tokens;
  return token;
}
