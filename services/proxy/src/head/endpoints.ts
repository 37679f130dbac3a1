import { hash } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import type { CallFacts } from '@agp/policy';
import type { LRUCache } from 'lru-cache';
import type { HeaderValues } from '../exchange.ts';
import type { Head } from '../journey.ts';
import type { Provider } from '../settings/provider.ts';
import { writeKeyHeader } from '../settings/provider-keys.ts';

interface Moved {
  movedSessions: LRUCache<string, string>;
}

/** All providers, each at each of its endpoints. */
export const listEndpoints = (providers: ReadonlyMap<string, Provider>): Provider[] =>
  [...providers.values()].flatMap((each) => (each.endpoints.length === 0 ? [each] : each.endpoints));

const nameSession = ({ id }: Pick<Provider, 'id'>, sessionId: string) => `${id} ${sessionId}`;

/**
 * Each session has an order of its own, in proportion to the weights, and the same in every process: its prompt cache is at the first.
 * Without an endpoint only what went there goes elsewhere (rendezvous hashing).
 */
function orderEndpoints({ movedSessions }: Moved, provider: Provider, sessionId: string): Provider[] {
  const stays = movedSessions.get(nameSession(provider, sessionId));
  const score = ({ endpoint, weight }: Provider) => {
    if (endpoint === stays) return Number.POSITIVE_INFINITY;
    const drawn = hash('sha256', JSON.stringify([endpoint, sessionId]), 'buffer').readUInt32BE();
    return weight / -Math.log((drawn + 0.5) / 2 ** 32);
  };
  const scored = provider.endpoints.map((each) => [each, score(each)] as const);
  return scored.sort(([, one], [, other]) => other - one).map(([each]) => each);
}

/** The endpoint that served a session in place of its own is asked first from now on. */
export function noteMoved({ movedSessions }: Moved, { provider }: Pick<Head, 'provider'>, sessionId: string): void {
  movedSessions.set(nameSession(provider, sessionId), String(provider.endpoint));
}

/** The headers of a call to one endpoint as another takes them: each has a key, or none has. */
export function changeKey(
  headers: HeaderValues,
  from: Provider,
  to: Provider,
  { operation, path }: Pick<Head, 'operation' | 'path'>,
): HeaderValues {
  if (from.apiKey === null || to.apiKey === null) return headers;
  const old = writeKeyHeader(from, operation, path);
  const kept = Object.entries(headers).filter(([name]) => !Object.hasOwn(old, name));
  return { ...Object.fromEntries(kept), ...writeKeyHeader(to, operation, path) };
}

/** @param next is asked if the other fails */
export function moveTo(head: Head, endpoint: Provider, next: Provider | null): void {
  head.headers = changeKey(head.headers, head.provider, endpoint, head);
  head.keyUse = endpoint.apiKey?.use ?? null;
  head.provider = endpoint;
  head.next = next;
}

/** Whether its key must not be sent any more. */
export const hasEnded = ({ apiKey }: Provider): boolean => apiKey !== null && apiKey.endsAt <= Date.now();

/**
 * Gives a call that goes out the key of this moment, if that is one that ends: a body may have taken minutes.
 * @throws ApiError `provider_key_unavailable`
 */
export function freshenKey(head: Head): void {
  if ((head.provider.apiKey?.endsAt ?? Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY) return;
  if (hasEnded(head.provider)) throw new ApiError('provider_key_unavailable');
  moveTo(head, head.provider, head.next);
}

/** The endpoint of a session, before its body is read. */
export function chooseEndpoint(context: Moved, head: Head, sessionId: string): void {
  const [first = head.provider, next = null] = orderEndpoints(context, head.provider, sessionId);
  moveTo(head, first, next);
}

/**
 * Keeps a call to endpoints at which rules allow it, if there are any.
 * @param describe what rules ask of it at one of them
 * @returns that of the endpoint where it goes
 */
export function keepAllowed(
  context: Moved,
  head: Head,
  sessionId: string,
  describe: (endpoint: Provider) => CallFacts,
  isAllowed: (facts: CallFacts) => boolean,
): CallFacts {
  const described = orderEndpoints(context, head.provider, sessionId).map((each) => [each, describe(each)] as const);
  const [first = described[0], second] = described.filter(([, facts]) => isAllowed(facts));
  if (first === undefined) return describe(head.provider);
  moveTo(head, first[0], second?.[0] ?? null);
  return first[1];
}
