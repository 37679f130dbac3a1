import type { IncomingMessage } from 'node:http';
import { agentTokenPrefix } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { decodeOnce, findParameters } from './query-parameters.ts';

/** A value that is only a token, with or without the scheme that SDKs put before it. */
const tokenValue = new RegExp(`^(?:bearer +)?(${agentTokenPrefix}[\\x21-\\x7e]*) *$`, 'i');

/** A token as issued, at the start of a word, with anything behind it. */
const issuedToken = new RegExp(`(?<![A-Za-z0-9_-])${agentTokenPrefix}[A-Za-z0-9_-]{43}`);

/** The same anywhere; by chance it occurs in one of some hundred thousand long keys. */
const anywhere = new RegExp(`${agentTokenPrefix}[A-Za-z0-9_-]{43}`);

const suspicious = new RegExp(`${agentTokenPrefix}|%`);

/** The token in a value that is only a token, with or without its scheme; null for any other value. */
function readToken(value: string): string | null {
  const token = tokenValue.exec(value)?.[1];
  // The scheme is the same in any case, a token is not.
  return token?.startsWith(agentTokenPrefix) ? token : null;
}

/**
 * Whether a part of a request must not be forwarded because an agent token is in it, plain or percent-encoded.
 *
 * @param shown the token that the request shows elsewhere, which is then found within longer words too
 */
export function holdsAgentToken(text: string, shown: string | null = null): boolean {
  if (!suspicious.test(text)) return false;
  return [text, decodeOnce(text)].some(
    (reading) =>
      issuedToken.test(reading) || readToken(reading) !== null || (shown !== null && reading.includes(shown)),
  );
}

/** Whether something like a token is anywhere in a text that is to be recorded or shown. */
export function spellsAgentToken(text: string): boolean {
  return suspicious.test(text) && (anywhere.test(text) || anywhere.test(decodeOnce(text)));
}

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
