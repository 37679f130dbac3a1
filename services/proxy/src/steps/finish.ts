import { ApiError } from '@agp/core/errors';
import { answerError } from '../answer-error.ts';
import { buildEvent } from '../build-event.ts';
import type { ProxyContext } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { type Answer, type Head, type Journey, noTimes, unmetered } from '../journey.ts';
import { observeTimes } from '../observe-times.ts';
import { publishEvent } from '../publish-event.ts';

/** The one end of every request: record what was forwarded, refuse what was not, give back what it held. */
export function finish(context: ProxyContext, exchange: Exchange, journey: Journey): void {
  const { forwarded, answer } = journey;
  const error = journey.error === undefined ? null : toApiError(context, journey.error);
  if (forwarded) {
    const end = answer ?? failedAnswer(forwarded.request.head);
    const event = buildEvent(
      forwarded.request,
      forwarded.stamp,
      end,
      journey.metering ?? { ...unmetered, outcome: end.outcome },
    );
    publishEvent(context, event);
    context.metrics.requests.inc({ provider: event.provider, outcome: event.outcome ?? 'failed' });
    observeTimes(context.metrics, forwarded.request, end);
    // A body that streams through may turn out too large when part of it has gone.
    if (end.failure === 'request_too_large') context.metrics.refusals.inc({ code: end.failure });
    if (error || end.failure) {
      answerError(exchange, error ?? new ApiError(end.failure ?? 'internal'), {
        'X-Agent-Id': event.agent_id,
        'X-Session-Id': event.session_id,
        'X-Event-Id': event.id,
      });
    }
  } else if (error) {
    if (journey.reservation) context.budget.release(journey.reservation.eventId);
    context.metrics.refusals.inc({ code: error.code });
    context.refusals.count(journey.agent?.uuid ?? null, error.code, exchange.sourceIp);
    answerError(exchange, error, {});
  }
  journey.body?.release();
}

/** Something of ours broke after the request was forwarded: it is recorded all the same. */
function failedAnswer(head: Head): Answer {
  return {
    outcome: 'failed',
    failure: 'internal',
    status: null,
    providerRequestId: null,
    sha256: null,
    tap: null,
    firstByteMs: null,
    durationMs: performance.now() - head.arrived,
    times: noTimes,
  };
}

function toApiError(context: ProxyContext, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  context.logger.error(
    { error: error instanceof Error ? error.stack : String(error) },
    'request failed inside the proxy',
  );
  return new ApiError('internal');
}
