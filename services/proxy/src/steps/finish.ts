import { ApiError, errorTable } from '@agp/core/errors';
import { toLineText } from '@agp/core/text';
import { type Measurement, unmeasured } from '@agp/metering';
import { PolicyDenied } from '@agp/policy';
import { answerError } from '../answer/refusal.ts';
import type { ProxyContext } from '../context.ts';
import { buildEvent, fitMeasurement } from '../events/build-event.ts';
import { publishEvent } from '../events/publish-event.ts';
import { reportDoubt } from '../events/reports.ts';
import type { Exchange } from '../exchange.ts';
import { type AdmittedRequest, type Answer, type Head, type Journey, noTimes, type RequestEnd } from '../journey.ts';
import { maxTold } from '../limits.ts';
import { decideAnswer } from '../policy/judge-answer.ts';
import { logRequest, readTraceId } from '../telemetry/log-request.ts';
import { toStatusClass } from '../telemetry/metrics.ts';
import type { RequestTrace } from '../telemetry/request-trace.ts';
import { describeTarget } from '../telemetry/shown-path.ts';
import { observeTimes } from '../telemetry/times.ts';

/** Records a forwarded request, refuses any other, and gives back what it held even if that fails. */
export function finish(context: ProxyContext, exchange: Exchange, journey: Journey, trace: RequestTrace | null): void {
  try {
    record(context, exchange, journey, trace);
  } finally {
    journey.body?.release();
    journey.meter?.release();
    journey.place?.giveBack();
  }
}

function record(context: ProxyContext, exchange: Exchange, journey: Journey, trace: RequestTrace | null): void {
  const { forwarded } = journey;
  const error = journey.error === undefined ? null : toApiError(journey.error);
  const ended: RequestEnd = {
    requestId: exchange.requestId,
    head: journey.head ?? null,
    agent: journey.agent ?? null,
    sessionId: journey.sessionId ?? null,
    event: null,
    answer: null,
    answeredModel: journey.measurement?.answeredModel ?? null,
    refusal: error,
  };
  if (forwarded) {
    const answer = journey.answer ?? failedAnswer(forwarded.request.head);
    const measured = fitMeasurement(journey.measurement ?? assume(forwarded.request, answer));
    const decisions = decideAnswer(forwarded.request, answer, measured);
    const event = buildEvent(forwarded.request, forwarded.stamp, answer, measured, decisions);
    publishEvent(context, event);
    reportDoubt(context, forwarded.request, event, measured);
    ended.event = event;
    ended.answer = answer;
    ended.refusal ??=
      answer.denied ?? (answer.failure === null ? null : new ApiError(answer.failure, tellEgress(answer)));
    if (answer.egress !== null) context.warnings.egressFailed(answer.egress);
    context.metrics.requests.inc({ provider: event.provider, outcome: event.outcome ?? 'failed' });
    if (answer.status !== null)
      context.metrics.providerAnswers.inc({ provider: event.provider, status: toStatusClass(answer.status) });
    if (answer.cause !== null) context.metrics.providerFailures.inc({ provider: event.provider, cause: answer.cause });
    observeTimes(context.metrics, forwarded.request, answer);
    // A streamed body may turn out too large or too slow after part of it was forwarded.
    if (answer.failure === 'request_too_large' || answer.failure === 'body_too_slow')
      context.metrics.refusals.inc({ code: answer.failure });
    if (ended.refusal) {
      const headers = { 'X-Agent-Id': event.agent_id, 'X-Session-Id': event.session_id, 'X-Event-Id': event.id };
      answerError(context.config, exchange, ended.refusal, headers);
    }
  } else if (error) {
    if (journey.reservation) context.budget.release(journey.reservation.eventId);
    context.metrics.refusals.inc({ code: error.code });
    const { requestId, sourceIp, target } = exchange;
    const [rule, decision] = error instanceof PolicyDenied ? [error.decidedBy, error.decision] : [null, null];
    const agentId = journey.agent?.uuid ?? null;
    const told = rule === null ? tellMore(error) : null;
    context.refusals.count({ agentId, reason: error.code, rule, decision, told, requestId, sourceIp }, () =>
      describeTarget(context.config.providers, target),
    );
    // Without a claimed name's token nobody learns whose it is.
    const agent = /^(?:unauthorized_agent|agent_of_another)$/.test(error.code) ? undefined : journey.agent;
    answerError(context.config, exchange, error, agent ? { 'X-Agent-Id': agent.id } : {});
  }
  trace?.end(ended);
  const traceId = trace?.traceId ?? readTraceId(exchange.request.headers.traceparent);
  logRequest(context.logger, ended, traceId, exchange.arrived, journey.error);
}

/** An agent is not told which proxy it is. */
const tellEgress = ({ egress }: Answer) =>
  egress === null
    ? {}
    : `${errorTable.provider_unreachable.message}: ${egress.told.replace(/^it/, 'the egress proxy')}`;

/** What a refusal says beyond its reason; null if that is all. */
const tellMore = ({ code, message }: ApiError) =>
  message === errorTable[code].message ? null : toLineText(message, maxTold);

/** The reservation is the best estimate of what a call cost that failed inside the proxy. */
function assume({ head, body, reservation }: AdmittedRequest, { outcome }: Answer): Measurement {
  const model = body.inspected?.requestedModel ?? null;
  const costs = head.operation?.isFree === false && reservation.nanoUsd > 0;
  const cost = costs ? { costNanoUsd: reservation.nanoUsd, usageSource: 'estimated' as const } : {};
  return { ...unmeasured, model, requestedModel: model, ...cost, outcome };
}

function failedAnswer(head: Head): Answer {
  return {
    outcome: 'failed',
    failure: 'internal',
    denied: null,
    found: null,
    cause: null,
    egress: null,
    sent: true,
    status: null,
    streamed: false,
    providerRequestId: null,
    sha256: null,
    firstByteMs: null,
    durationMs: performance.now() - head.arrived,
    times: noTimes,
  };
}

function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('internal');
}
