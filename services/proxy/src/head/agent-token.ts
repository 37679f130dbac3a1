import type { IncomingMessage } from 'node:http';
import { agentTokenPrefix } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { listHeaders } from '@agp/metering';
import { decodeOnce, type QueryParameters } from './query-parameters.ts';

/** A token alone, with or without the scheme that SDKs put before it. */
const tokenValue = new RegExp(`^(?:bearer +)?(${agentTokenPrefix}[\\x21-\\x7e]*) *$`, 'i');

/** A token as issued, at the start of a word, with anything behind it. */
const issuedToken = new RegExp(`(?<![A-Za-z0-9_-])${agentTokenPrefix}[A-Za-z0-9_-]{43}`);

/** Anywhere; by chance one of some hundred thousand long keys holds it. */
const anywhere = new RegExp(`${agentTokenPrefix}[A-Za-z0-9_-]{43}`);

const suspicious = new RegExp(`${agentTokenPrefix}|%`);

function readToken(value: string): string | null {
  const token = tokenValue.exec(value)?.[1];
  // The scheme is the same in any case, a token is not.
  return token?.startsWith(agentTokenPrefix) ? token : null;
}

/**
 * Whether an agent token in it, plain or percent-encoded, keeps a part of a request from being forwarded; the token `shown` elsewhere is
 * found within longer words too.
 */
export function holdsAgentToken(text: string, shown: string | null = null): boolean {
  if (!suspicious.test(text)) return false;
  return [text, decodeOnce(text)].some(
    (reading) =>
      issuedToken.test(reading) || readToken(reading) !== null || (shown !== null && reading.includes(shown)),
  );
}

/** Whether an id of the caller's holds a token, and so is not recorded. */
export function spellsAgentToken(text: string): boolean {
  return suspicious.test(text) && (anywhere.test(text) || anywhere.test(decodeOnce(text)));
}

/** Whether a name or a path holds a token, or is one in form, and so is not shown. */
export function resemblesAgentToken(text: string): boolean {
  if (!suspicious.test(text)) return false;
  return [text, decodeOnce(text)].some((reading) => anywhere.test(reading) || readToken(reading) !== null);
}

/**
 * @throws ApiError `malformed_request` for two different tokens; `unauthorized_agent` if `X-Agent-Token` holds something else
 */
export function readAgentToken({ headersDistinct }: IncomingMessage, parameters: QueryParameters): string | null {
  const own = (headersDistinct['x-agent-token'] ?? []).map((value) => value.trim());
  const inKeyHeaders = listHeaders('key').flatMap((name) => headersDistinct[name] ?? []);
  const inQuery = parameters.filter(({ name }) => name === 'key').map(({ value }) => value);
  if (own.some((value) => !value.startsWith(agentTokenPrefix))) throw new ApiError('unauthorized_agent');
  const elsewhere = [...inKeyHeaders, ...inQuery].map(readToken).filter((token) => token !== null);
  const [token = null, ...others] = [...own, ...elsewhere];
  if (others.some((other) => other !== token))
    throw new ApiError('malformed_request', 'two different agent tokens are given');
  return token;
}
