import { hash, randomUUIDv7 } from 'node:crypto';
import { isPrintableText, isReservedAgentName, maxAgentNameLength } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { complianceTagPattern } from '@agp/core/events';
import { toPublicId, uuidTime } from '@agp/core/ids';
import { listHeaders, readTierHeader } from '@agp/metering';
import type { Setup, Working } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { holdsAgentToken, readAgentToken, spellsAgentToken } from '../head/agent-token.ts';
import { assureReadable, assureServedMethod } from '../head/assure-readable.ts';
import { matchOneOperation } from '../head/match-operation.ts';
import { buildOutgoing } from '../head/outgoing.ts';
import { parseQuery } from '../head/query-parameters.ts';
import { parseTarget } from '../head/target.ts';
import type { Head } from '../journey.ts';
import { maxComplianceTag, maxSessionName } from '../limits.ts';
import { normalisePath } from '../settings/provider.ts';

function refuse(message: string): never {
  throw new ApiError('malformed_request', message);
}

/** Node decodes header bytes as Latin-1; the headers that we read are UTF-8. */
function toText(name: string, value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) refuse(`${name} is not valid UTF-8`);
  return text;
}

function readGovernanceHeader(exchange: Exchange, name: string, max: number): string | null {
  const values = exchange.request.headersDistinct[name];
  if (values === undefined) return null;
  if (values.length > 1) refuse(`${name} is given more than once`);
  const text = toText(name, values[0] ?? '');
  if (!isPrintableText(text, max)) refuse(`${name} must be 1 to ${max} printable characters`);
  return text;
}

function readAgentName(exchange: Exchange, inPath: string | null): string | null {
  const inHeader = readGovernanceHeader(exchange, 'x-agent-name', maxAgentNameLength);
  if (inPath !== null && !isPrintableText(inPath, maxAgentNameLength)) {
    refuse(`the agent name in the path must be 1 to ${maxAgentNameLength} printable characters`);
  }
  if (inPath !== null && inHeader !== null && inPath !== inHeader)
    refuse('x-agent-name names another agent than the path');
  const name = inPath ?? inHeader;
  if (name !== null && isReservedAgentName(name)) refuse('agent names that begin with unnamed- are reserved');
  // Names are shown and recorded.
  if (name !== null && (holdsAgentToken(name) || spellsAgentToken(name)))
    refuse('an agent name must not hold an agent token');
  return name;
}

function readSessionName(exchange: Exchange): string | null {
  const named = readGovernanceHeader(exchange, 'x-session-id', maxSessionName);
  if (named !== null && spellsAgentToken(named)) refuse('x-session-id must not hold an agent token');
  if (named !== null) return named;
  for (const name of listHeaders('session')) {
    const value = exchange.request.headersDistinct[name]?.[0];
    // They are not meant for us: one that we cannot use is ignored.
    if (value && value.length <= maxSessionName && /^[\x20-\x7e]+$/.test(value) && !spellsAgentToken(value))
      return value;
  }
  return null;
}

function readComplianceTag(exchange: Exchange): string | null {
  const tag = readGovernanceHeader(exchange, 'x-compliance-tag', maxComplianceTag);
  if (tag !== null && !complianceTagPattern.test(tag)) {
    refuse('x-compliance-tag must be 1 to 64 of a-z, 0-9 and . _ : -, beginning with a letter or digit');
  }
  return tag;
}

/** A base URL without the provider, such as `http://proxy/v1`, is the usual mistake. */
function refuseUnknown(known: readonly string[], asked: string): ApiError {
  const what = /^v\d/.test(asked) ? `unknown provider: the path lacks it` : 'unknown provider';
  const example = `a base URL is this proxy's address and a provider, as in /${known[0]}/v1`;
  return new ApiError('unknown_provider', `${what}; ${example}; known here: ${known.slice(0, 50).join(', ')}`);
}

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
  if ((headersDistinct.host?.length ?? 0) > 1) refuse('host is given more than once');
  const provider = context.config.providers.get(target.providerId);
  if (provider === undefined) throw refuseUnknown([...context.config.providers.keys()], target.providerId);
  context.callers.assure(exchange.request);
  // Any other offered upgrade may be ignored (RFC 9110 section 7.8).
  if (/\bwebsocket\b/i.test(headers.upgrade ?? '')) throw new ApiError('upgrade_required');
  if (headers['x-goog-upload-protocol'] === 'resumable' || /[?&]uploadType=resumable(?:&|$)/i.test(target.query)) {
    // The provider would answer with a URL of its own, and the upload would bypass the proxy.
    throw new ApiError('not_governed', 'resumable uploads are not governed yet');
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') refuse('transfer-encoding must be chunked');
  const agentName = readAgentName(exchange, target.agentName);
  const path = normalisePath(provider, target.path);
  const operation = matchOneOperation(provider.api, exchange.method, path);
  const parameters = parseQuery(target.query);
  assureReadable(provider, operation, parameters, headers);
  const sessionName = readSessionName(exchange);
  const complianceTag = readComplianceTag(exchange);
  const contentLength = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  const token = readAgentToken(exchange.request, parameters);
  if (holdsAgentToken(path, token)) refuse('request target must not hold an agent token in its path');
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
    path,
    operation,
    agentName,
    tokenSha256: token && hash('sha256', token, 'hex'),
    sessionName,
    complianceTag,
    sourceIp: exchange.sourceIp,
    ...buildOutgoing(exchange, { provider, operation, path, query: target.query }, token),
    contentLength,
    hasBody: headers['transfer-encoding'] !== undefined || (contentLength ?? 0) > 0,
    serviceTier: readTierHeader(headers),
  };
}
