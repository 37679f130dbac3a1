import type { IncomingMessage } from 'node:http';
import { agentTokenPrefix } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { findParameters } from '@agp/metering';
import { readToken } from './holds-agent-token.ts';

/** Where SDKs put a key, each in its provider's own way. An agent token is known there by its prefix. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/**
 * Finds the agent token that came along, which is a secret: what goes on from here is its digest.
 *
 * @param query the request's, with its question mark
 * @returns null without one
 * @throws ApiError `malformed_request` where there are two different ones; `unauthorized_agent` where `X-Agent-Token` holds
 *   something else
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
