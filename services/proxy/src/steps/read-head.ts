import { hash, randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import { toPublicId, uuidTime } from '@agp/core/ids';
import { dialects, isPlain, readTierHeader, tellProfile } from '@agp/metering';
import type { Setup, Working } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { assureClosed, assureReadable, assureServedMethod } from '../head/assure-readable.ts';
import { readCaller } from '../head/caller.ts';
import { matchOneOperation } from '../head/match-operation.ts';
import { buildOutgoing } from '../head/outgoing.ts';
import { parseQuery } from '../head/query-parameters.ts';
import { findProvider, parseTarget } from '../head/target.ts';
import { ShownJwt } from '../identity/identities.ts';
import type { Head } from '../journey.ts';
import { normalisePath } from '../settings/provider.ts';

/** The two ids hold the same millisecond, the request's before the response's. */
function makeEventUuids(pair: boolean): { event: string; requestEvent: string | null } {
  if (!pair) return { event: randomUUIDv7(), requestEvent: null };
  for (;;) {
    const [requestEvent, response] = [randomUUIDv7(), randomUUIDv7()].sort() as [string, string];
    if (uuidTime(requestEvent) === uuidTime(response)) return { event: response, requestEvent };
  }
}

/**
 * @throws ApiError `method_not_allowed`, `malformed_request`, `unknown_provider`, `foreign_host`, `cross_site_request`, `upgrade_required`,
 *   `not_governed`, `unauthorized_agent`
 */
export function readHead(context: Setup & Working, exchange: Exchange): Head {
  assureServedMethod(exchange.method);
  const target = parseTarget(exchange.target);
  const { headers, headersDistinct } = exchange.request;
  if ((headersDistinct.host?.length ?? 0) > 1) throw new ApiError('malformed_request', 'host is given more than once');
  const provider = findProvider(context.config.providers, target);
  context.callers.assure(exchange.request);
  // Any other offered upgrade may be ignored (RFC 9110 section 7.8).
  if (/\bwebsocket\b/i.test(headers.upgrade ?? '')) throw new ApiError('upgrade_required');
  if (headers['x-goog-upload-protocol'] === 'resumable' || /[?&]uploadType=resumable(?:&|$)/i.test(target.query)) {
    // The provider would answer with a URL of its own, and the upload would bypass the proxy.
    throw new ApiError('not_governed', 'resumable uploads are not governed yet');
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw new ApiError('malformed_request', 'transfer-encoding must be chunked');
  const sentPath = normalisePath(provider, target.path);
  const path = provider.profiles.size === 0 ? sentPath : tellProfile(sentPath, provider.profiles);
  const operation = matchOneOperation(provider.api, exchange.method, path);
  const parameters = parseQuery(target.query);
  assureReadable(provider, operation, parameters, headers);
  if (dialects[provider.api].isClosed) assureClosed(operation, exchange.method, path, headers);
  const { version } = context.identities;
  let meetsJwt = false;
  const isOurs = (jwt: string) => {
    meetsJwt = true;
    return context.identities.isOurs(jwt);
  };
  const { token, jwt, hasJwt, ...caller } = readCaller(exchange.request, target.agentName, parameters, isOurs);
  const outgoing = buildOutgoing(exchange, { provider, operation, path, query: target.query }, token ?? jwt, isOurs);
  const contentLength = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  const uuids = makeEventUuids(context.config.auditDirections === 'both');
  return {
    eventId: toPublicId('evt', uuids.event),
    eventUuid: uuids.event,
    requestEventId: uuids.requestEvent && toPublicId('evt', uuids.requestEvent),
    timestamp: uuidTime(uuids.event),
    arrived: exchange.arrived,
    requestId: exchange.requestId,
    method: exchange.method,
    provider,
    next: null,
    sentPath,
    path,
    operation,
    ...caller,
    tokenSha256: token && hash('sha256', token, 'hex'),
    jwt: jwt === null ? null : new ShownJwt(jwt),
    identityVersion: hasJwt || meetsJwt ? version : null,
    sourceIp: exchange.sourceIp,
    ...outgoing,
    contentLength,
    isPacked: !isPlain(headers),
    hasBody: headers['transfer-encoding'] !== undefined || (contentLength ?? 0) > 0,
    serviceTier: readTierHeader(headers),
  };
}
