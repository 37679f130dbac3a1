import { errorTable } from '@agp/core/errors';
import {
  type Asked,
  type Decision,
  type EventMessage,
  type EventTool,
  type EventTools,
  maxAskedModels,
  maxDecisions,
  maxPiiFindings,
  maxPriceVersion,
  maxToolName,
  maxTools,
  toEventText,
} from '@agp/core/events';
import { chargedLabels } from '@agp/core/labels';
import { listOperationNames } from '@agp/core/operations';
import { type Measurement, readAsked } from '@agp/metering';
import type { AdmittedRequest, Answer, ProducerStamp } from '../journey.ts';
import {
  maxEventPath,
  maxEventTokens,
  maxMethod,
  maxModelName,
  maxPiiTypes,
  maxProviderRequestId,
  maxShortText,
} from '../limits.ts';

function fitCount(value: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(Math.max(0, Math.round(value)), max);
}

/** What had to be changed to fit is doubted. */
export function fitMeasurement(measured: Measurement): Measurement {
  const promptTokens = fitCount(measured.promptTokens, maxEventTokens);
  const completionTokens = fitCount(measured.completionTokens, maxEventTokens);
  const costNanoUsd = fitCount(measured.costNanoUsd);
  const isFit =
    promptTokens === measured.promptTokens &&
    completionTokens === measured.completionTokens &&
    costNanoUsd === measured.costNanoUsd;
  if (isFit) return measured;
  const claimed = {
    promptTokens: fitCount(measured.promptTokens),
    completionTokens: fitCount(measured.completionTokens),
    costNanoUsd,
  };
  return {
    ...measured,
    promptTokens,
    completionTokens,
    costNanoUsd,
    doubt: measured.doubt ?? { reason: 'out_of_range', ...claimed },
  };
}

const text = (value: string | null, max: number) => (value === null ? null : toEventText(value, max));

/** The `request` half of a recorded pair, without figures. */
export function buildRequestEvent(request: AdmittedRequest, stamp: ProducerStamp): EventMessage {
  const { head, agent, admission, sessionId, body } = request;
  const requestedModel = body.inspected?.requestedModel ?? null;
  return {
    ...stamp,
    id: head.requestEventId ?? head.eventId,
    session_id: sessionId,
    agent_id: agent.id,
    timestamp: new Date(head.timestamp).toISOString(),
    direction: 'request',
    model: toEventText(requestedModel || 'unknown', maxModelName),
    provider: toEventText(head.provider.id, maxShortText),
    prompt_tokens: 0,
    completion_tokens: 0,
    total_tokens: 0,
    cost_nano_usd: 0,
    compliance_tag: admission.complianceTag,
    pii_detected: false,
    pii_types: [],
    // A body that streams through has no digest until it is through.
    request_sha256: body.inspected ? body.sha256() : null,
    response_sha256: null,
    method: toEventText(head.method, maxMethod),
    path: toEventText(head.sentPath, maxEventPath),
    requested_model: text(requestedModel, maxModelName),
    provider_request_id: null,
    source_ip: toEventText(head.sourceIp, maxShortText),
    duration_ms: null,
    first_byte_ms: null,
    http_status: null,
    outcome: null,
    usage_source: 'none',
    price_version: null,
    pii_scan: 'none',
    policy_version: admission.rules?.version ?? null,
    decision: fitList(request.governed.decisions),
    tools: null,
    forwarded_sha256: request.governed.forwardedSha256,
    counts_as_request: false,
    request_id: head.requestId,
    labels: chargedLabels(admission.metadata),
  };
}

/**
 * Each field is made to fit: the writer accepts the event whatever the provider or the agent sent.
 * @param ofAnswer what policies decided of it
 */
export function buildEvent(
  request: AdmittedRequest,
  stamp: ProducerStamp,
  answer: Answer,
  given: Measurement,
  ofAnswer: readonly Decision[],
): EventMessage {
  const measured = fitMeasurement(given);
  const { promptTokens, completionTokens } = measured;
  const { asked, tools } = describeAsked(request);
  return {
    ...buildRequestEvent(request, stamp),
    id: request.head.eventId,
    direction: answer.status === null ? 'request' : 'response',
    model: toEventText(measured.model || 'unknown', maxModelName),
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost_nano_usd: measured.costNanoUsd,
    request_sha256: request.body.sha256(),
    response_sha256: answer.sha256,
    provider_request_id: text(answer.providerRequestId, maxProviderRequestId),
    duration_ms: fitCount(answer.durationMs),
    first_byte_ms: answer.firstByteMs === null ? null : fitCount(answer.firstByteMs),
    http_status: toStatus(readStatus(answer)),
    outcome: measured.outcome,
    usage_source: measured.usageSource,
    price_version: text(measured.priceVersion, maxPriceVersion),
    pii_detected: measured.piiTypes.length > 0,
    pii_types: measured.piiTypes.slice(0, maxPiiTypes).map((type) => toEventText(type, maxShortText)),
    pii_scan: measured.piiScan,
    pii_findings: fitList(measured.piiFindings.slice(0, maxPiiFindings)),
    decision: fitList([...ofAnswer, ...request.governed.decisions].slice(0, maxDecisions)),
    tools: listTools(tools, measured.called),
    asked,
    counts_as_request: true,
    failure: answer.cause,
    ...(request.head.provider.endpoint && { endpoint: request.head.provider.endpoint }),
  };
}

const fitList = <Item>(items: readonly Item[]): Item[] | null => (items.length === 0 ? null : [...items]);

/** Null if there are none. */
function listTools(declared: readonly EventTool[] | null, called: readonly EventTool[]): EventTools | null {
  if (declared?.length === 0 && called.length === 0) return null;
  const more = [declared ?? [], called].reduce((sum, tools) => sum + Math.max(0, tools.length - maxTools), 0);
  const fit = (tools: readonly EventTool[]) => tools.slice(0, maxTools).map(fitTool);
  return { declared: declared && fit(declared), called: fit(called), more };
}

const fitTool = ({ kind, names }: EventTool): EventTool => ({
  kind,
  names: names.slice(0, 4).map((name) => toEventText(name, maxToolName)),
});

/** What a preview of policies reads: what rules asked, or, without a policy, as far as the body was read in any case. */
function describeAsked({ head, body: { inspected }, governed: { facts }, reservation }: AdmittedRequest) {
  const { models, tools, unread, output_tokens, input_bytes, geo, stores, guardrail } =
    facts ?? readAsked(head, inspected, inspected?.names ?? null);
  const isListed = models !== null && models.length <= maxAskedModels;
  const asked: Asked = {
    operations: head.operation && listOperationNames(head.operation.name).slice(0, 8),
    models: isListed ? models.map((model) => toEventText(model, maxModelName)) : null,
    ...(unread && { unread: toEventText(unread, 128) }),
    ...{ ...(geo !== undefined && { geo }), ...(stores !== undefined && { stores }) },
    ...(guardrail !== undefined && { guardrail }),
    output_tokens: output_tokens === null ? null : fitCount(output_tokens),
    input_bytes,
    nano_usd: fitCount(facts?.nano_usd ?? reservation.nanoUsd),
  };
  return { asked, tools };
}

/** An answer that was held back may end as a refusal. */
const readStatus = ({ status, failure }: Answer): number | null =>
  status === null || failure === null ? status : errorTable[failure].status;

function toStatus(status: number | null): number | null {
  return status !== null && Number.isInteger(status) && status >= 100 && status <= 999 ? status : null;
}
