import { agentTokenPrefix, ownSecrets } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { decodesAll, isMethodOverride, rolesOf } from '@agp/metering';
import type { Exchange, HeaderValues } from '../exchange.ts';
import type { Head } from '../journey.ts';
import { isCredentialParameter, writeKeyHeader } from '../settings/provider-keys.ts';
import { findOwnSecret, type IsOurs, isKeptBack, repeatsProof } from './agent-token.ts';
import { cutParameters } from './query-parameters.ts';

/** Whether the answer could come in an encoding that we cannot decode whole, its usage unread. */
export function asksUnreadable(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((item) => {
    const [coding = '', ...parameters] = item.toLowerCase().split(';');
    const name = coding.trim();
    const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
    return name !== '' && name !== 'identity' && !isRefused && !decodesAll(name);
  });
}

/** Headers that are for the connection alone; null for the two usual values, which name none that is passed on. */
export function readNamed(connection: string | undefined): ReadonlySet<string> | null {
  const names = connection?.toLowerCase() ?? 'close';
  return names === 'keep-alive' || names === 'close' ? null : new Set(names.split(/[\s,]+/));
}

type Roles = ReturnType<typeof rolesOf>;

/** The agent's headers for the provider, in their case, without those of the connection, our own, and what `drops` says. */
export function toProviderHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  drops: (roles: Roles, name: string, value: string) => boolean = () => false,
): HeaderValues {
  const named = readNamed(connection);
  const result: HeaderValues = {};
  const spelling = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    const key = name.toLowerCase();
    const roles = rolesOf(key);
    if (roles.has('connection') || roles.has('ours') || named?.has(key) || drops(roles, name, value)) continue;
    const known = spelling.get(key);
    if (known === undefined) {
      spelling.set(key, name);
      result[name] = value;
    } else {
      result[known] = [result[known] as string | string[], value].flat();
    }
  }
  return result;
}

/**
 * Headers and query for the provider: without the caller's own token and JWTs of our issuers, without what makes a server serve another
 * request, and with the configured key, if any, in place of the caller's.
 * @throws ApiError `malformed_request` for a secret of ours in the path, of which nothing can be cut; `unauthorized_agent` for one elsewhere
 */
export function buildOutgoing(
  { rawHeaders, request }: Exchange,
  { provider, operation, path, query }: Pick<Head, 'provider' | 'operation' | 'path' | 'query'>,
  token: string | null,
  isOurs: IsOurs,
): Pick<Head, 'headers' | 'query' | 'keyUse'> {
  const inPath = findOwnSecret(path);
  if (inPath !== null || repeatsProof(path, token, isOurs)) {
    const what = ownSecrets[inPath ?? agentTokenPrefix];
    throw new ApiError('malformed_request', `request target must not hold ${what} in its path`);
  }
  const { apiKey } = provider;
  const isInjected = apiKey !== null;
  const isBilled = operation !== null && !operation.isFree;
  const headers = toProviderHeaders(
    rawHeaders,
    request.headers.connection,
    (roles, name, value) =>
      isKeptBack(name, "a header's name", token, isOurs) ||
      isKeptBack(value, name, token, isOurs) ||
      roles.has('reroutes') ||
      (isInjected && (roles.has('key') || roles.has('credential'))) ||
      (isBilled && (roles.has('partial') || (/^accept-encoding$/i.test(name) && asksUnreadable(value)))),
  );
  return {
    headers: { ...headers, ...writeKeyHeader(provider, operation, path) },
    keyUse: isInjected ? apiKey.use : null,
    query: cutParameters(
      query,
      ({ names, text }) =>
        isKeptBack(text, 'the query', token, isOurs) ||
        isKeptBack(text.slice(text.indexOf('=') + 1), 'the query', token, isOurs) ||
        names.some((name) => (isInjected && isCredentialParameter(name)) || isMethodOverride(name)),
    ),
  };
}
