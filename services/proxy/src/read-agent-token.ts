import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { agentTokenPrefix } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { findParameters } from './query-parameters.ts';

/** Where SDKs put a key, each in its provider's own way. An agent token is known there by its prefix. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/** A value that is a token and nothing else, with or without the scheme that SDKs put before it. */
const tokenValue = new RegExp(`^(?:bearer +)?(${agentTokenPrefix}[\\x21-\\x7e]*) *$`, 'i');

/**
 * Finds the agent token that came along (decisions.md section 2, identity).
 *
 * @param query the request's, with its question mark
 * @returns SHA-256 of the token, in hex; null without one
 * @throws ApiError `malformed_request` where there are two different ones; `unauthorized_agent` where `X-Agent-Token` holds
 *   something else
 */
export function readAgentToken({ headersDistinct }: IncomingMessage, query: string): string | null {
  const own = (headersDistinct['x-agent-token'] ?? []).map((value) => value.trim());
  const inKeyHeaders = keyHeaders.flatMap((name) => headersDistinct[name] ?? []).flatMap(readToken);
  const inQuery = findParameters(query, (name) => name === 'key').flatMap(({ value }) => readToken(value));
  if (own.some((value) => !value.startsWith(agentTokenPrefix))) throw new ApiError('unauthorized_agent');
  const digests = new Set([...own, ...inKeyHeaders, ...inQuery].map((token) => hash('sha256', token, 'hex')));
  if (digests.size > 1) throw new ApiError('malformed_request', 'two different agent tokens are given');
  const [digest = null] = digests;
  return digest;
}

function readToken(value: string): string[] {
  const token = tokenValue.exec(value)?.[1];
  // The scheme is the same in any case, a token is not.
  return token?.startsWith(agentTokenPrefix) ? [token] : [];
}

/** A whole token as it is issued, within any text. */
const wholeToken = new RegExp(`(?<![A-Za-z0-9_-])${agentTokenPrefix}[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])`);

/** Whether a header or a parameter must stay here because an agent token is in it, recognised there or not. */
export function holdsAgentToken(value: string): boolean {
  return value.includes(agentTokenPrefix) && (wholeToken.test(value) || readToken(value).length > 0);
}
