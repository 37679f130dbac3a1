import type { ErrorCode } from '@agp/core/errors';
import type { Logger } from '@agp/runtime';
import { type RequestEnd, statusOf } from '../journey.ts';

/** Refusals that neither the agent nor an operator caused. */
const faults: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'status_unavailable',
  'budget_unavailable',
  'labels_unavailable',
  'audit_unavailable',
  'proxy_overloaded',
  'proxy_stopping',
  'provider_key_unavailable',
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
    endpoint: head?.provider.endpoint ?? undefined,
    status: statusOf(end) ?? undefined,
    outcome: event?.outcome ?? undefined,
    failure: answer?.cause ?? undefined,
    code: refusal?.code,
    durationMs: Math.round(performance.now() - arrived),
    traceId: traceId ?? undefined,
    error: refusal?.code === 'internal' ? describe(error) : answer?.egress?.message,
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
