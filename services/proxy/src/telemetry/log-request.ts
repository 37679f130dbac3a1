import type { ErrorCode } from '@agp/core/errors';
import { nameOperationKind } from '@agp/core/operations';
import type { Attributes, Logger } from '@agp/runtime';
import { type AdmittedRequest, type RequestEnd, statusOf } from '../journey.ts';
import { maxModelName } from '../limits.ts';

/** Refusals that neither the agent nor an operator caused. */
const faults: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'status_unavailable',
  'budget_unavailable',
  'audit_unavailable',
  'proxy_overloaded',
  'proxy_stopping',
  'provider_unreachable',
  'provider_timeout',
]);

/**
 * Logs failures, refusals for a fault of ours and ends by an operator; all else at `debug`. It holds nothing that a caller chose, except
 * ids in the form of one.
 */
export function logRequest(
  logger: Logger,
  end: RequestEnd,
  traceId: string | null,
  arrived: number,
  error?: unknown,
): void {
  const { requestId, head, agent, sessionId, event, answer, refusal } = end;
  const [level, message] = judge(end);
  if (!logger.isLevelEnabled(level)) return;
  const fields = {
    requestId,
    eventId: head?.eventId,
    agentId: agent?.id,
    sessionId: sessionId ?? undefined,
    provider: head?.provider.id,
    status: statusOf(end) ?? undefined,
    outcome: event?.outcome ?? undefined,
    failure: answer?.cause ?? undefined,
    code: refusal?.code,
    durationMs: Math.round(performance.now() - arrived),
    traceId: traceId ?? undefined,
    error: refusal?.code === 'internal' ? describe(error) : undefined,
  };
  logger[level](fields, message);
}

function judge({ event, refusal }: RequestEnd): ['error' | 'warn' | 'info' | 'debug', string] {
  if (refusal?.code === 'internal') return ['error', 'request failed inside the proxy'];
  if (event?.outcome === 'killed') return ['info', 'request was ended by an operator'];
  if (event?.outcome === 'failed') return ['warn', 'request failed'];
  if (refusal && faults.has(refusal.code)) return ['warn', 'request could not be served'];
  return ['debug', event ? 'request was served' : 'request was refused'];
}

const describe = (error: unknown) => (error instanceof Error ? error.stack : String(error));

/** From the caller, even with tracing off; null if it is missing or malformed. */
export function readTraceId(traceparent: unknown): string | null {
  const [, id = null] = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(String(traceparent)) ?? [];
  return id;
}

const providerNames: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai' };

/**
 * By OpenTelemetry's conventions for generative AI, or for HTTP if we cannot read the call; no text of agents or models is in it.
 */
export function describeCall({ head, sessionId, body }: AdmittedRequest): { name: string; attributes: Attributes } {
  const { provider, operation, path } = head;
  const { protocol, hostname, port, origin } = provider.baseUrl;
  const method = describeMethod(head.method);
  const http = {
    ...method.attributes,
    // Without the query, which may hold keys; a provider's URL never holds a password.
    'url.full': `${origin}${provider.basePath}${path}`,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'agp.event.id': head.eventId,
  };
  if (operation === null) return { name: method.name, attributes: http };
  const operationName = nameOperationKind(operation.name);
  const model = body.inspected?.requestedModel ?? null;
  return {
    name: model === null ? operationName : `${operationName} ${shorten(model)}`,
    attributes: {
      ...http,
      'gen_ai.operation.name': operationName,
      'gen_ai.provider.name': providerNames[provider.id] ?? provider.id,
      'gen_ai.conversation.id': sessionId,
      ...(model === null ? {} : { 'gen_ai.request.model': shorten(model) }),
      ...(body.inspected ? { 'gen_ai.request.stream': body.inspected.stream } : {}),
    },
  };
}

/** Callers and providers choose the names of models. */
export const shorten = (model: string): string => model.slice(0, maxModelName);

/** RFC 9110 and RFC 5789: the methods that OpenTelemetry's conventions for HTTP know. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** By those conventions, which have one word for all other methods. */
export function describeMethod(method: string): { name: string; attributes: Attributes } {
  if (knownMethods.has(method)) return { name: method, attributes: { 'http.request.method': method } };
  return { name: 'HTTP', attributes: { 'http.request.method': '_OTHER', 'http.request.method_original': method } };
}
