import { nameOperationKind } from '@agp/core/operations';
import type { Attributes, Span, Tracing } from '@agp/runtime';
import type { Exchange, HeaderValues } from '../exchange.ts';
import { type AdmittedRequest, type RequestEnd, statusOf } from '../journey.ts';
import { maxModelName } from '../limits.ts';
import { toShownPath } from './shown-path.ts';

/**
 * The agent's span and, within it, that of the call. Names and attributes are OpenTelemetry's; no text of agents or models is in them.
 */
export class RequestTrace {
  readonly #tracing: Tracing;
  readonly #request: Span;
  readonly #target: string;
  /** The monotonic clock's zero; the same for both spans, so that they fit together. */
  readonly #epoch = Date.now() - performance.now();
  #call: Span | null = null;

  constructor(tracing: Tracing, { method, target, request, arrived }: Exchange) {
    this.#tracing = tracing;
    this.#target = target;
    const { name, attributes } = describeMethod(method);
    this.#request = tracing.startServerSpan(name, request.headers, this.#epoch + arrived);
    this.#request.setAttributes({ ...attributes, 'url.scheme': 'http' });
  }

  get traceId(): string {
    return this.#request.spanContext().traceId;
  }

  /** Begins the span of the call and names it in the provider's `traceparent`, at a time on the monotonic clock. */
  startCall(request: AdmittedRequest, headers: HeaderValues, at: number): void {
    const { name, attributes } = describeCall(request);
    this.#call = this.#tracing.startClientSpan(name, this.#request, this.#epoch + at);
    this.#call.setAttributes(attributes);
    this.#tracing.continueIn(this.#call, headers);
  }

  /** Called once, on every way out. */
  end(ended: RequestEnd): void {
    this.#endCall(ended);
    const { requestId, head, agent, sessionId, event, answer, refusal } = ended;
    const span = this.#request;
    const path = head ? `/${head.provider.id}${head.sentPath}` : toShownPath(this.#target);
    if (path !== null) span.setAttribute('url.path', path);
    if (head) {
      span.updateName(`${describeMethod(head.method).name} /${head.provider.id}/*`);
      span.setAttributes({ 'http.route': `/${head.provider.id}/*`, 'agp.event.id': head.eventId });
    }
    span.setAttribute('agp.request.id', requestId);
    if (answer?.cause) span.setAttribute('agp.failure', answer.cause);
    if (agent) span.setAttribute('agp.agent.id', agent.id);
    if (sessionId !== null) span.setAttribute('agp.session.id', sessionId);
    if (event?.outcome) span.setAttribute('agp.outcome', event.outcome);
    if (refusal) span.setAttribute('agp.refusal', refusal.code);
    const status = statusOf(ended);
    if (status !== null) span.setAttribute('http.response.status_code', status);
    const fault = refusal?.code ?? (hasFailed(ended) ? event?.outcome : null) ?? status;
    // A server's span has not failed if the caller was at fault (OpenTelemetry's conventions for HTTP).
    if ((status ?? 0) >= 500 || hasFailed(ended)) this.#tracing.fail(span, String(fault));
    span.end(this.#epoch + (head && answer ? head.arrived + answer.durationMs : performance.now()));
  }

  #endCall(ended: RequestEnd): void {
    const span = this.#call;
    if (span === null) return;
    const { event, answer, answeredModel } = ended;
    const { endpoint = null, baseUrl } = ended.head?.provider ?? {};
    // Another than the first, if that failed.
    if (endpoint !== null) span.setAttributes({ 'agp.endpoint': endpoint, 'server.address': baseUrl?.hostname ?? '' });
    if (event && event.usage_source !== 'none') {
      span.setAttributes({
        'gen_ai.usage.input_tokens': event.prompt_tokens,
        'gen_ai.usage.output_tokens': event.completion_tokens,
        'agp.usage_source': event.usage_source,
        'agp.cost_usd': event.cost_nano_usd / 1e9,
      });
    }
    const status = answer?.status ?? null;
    if (status !== null) span.setAttribute('http.response.status_code', status);
    if (answeredModel) span.setAttribute('gen_ai.response.model', shorten(answeredModel));
    const { dispatched = null, firstChunk = null, ended: endedAt = null } = answer?.times ?? {};
    if (answer?.streamed && dispatched !== null && firstChunk !== null) {
      span.setAttribute('gen_ai.response.time_to_first_chunk', (firstChunk - dispatched) / 1000);
      span.addEvent('agp.first_chunk', this.#epoch + firstChunk);
    }
    const fault = answer?.failure ?? (hasFailed(ended) ? event?.outcome : null) ?? status;
    if (hasFailed(ended) || (status ?? 0) >= 400) this.#tracing.fail(span, String(fault));
    span.end(this.#epoch + (endedAt ?? performance.now()));
  }
}

/** An agent that leaves does not count as a failure. */
const hasFailed = ({ event }: RequestEnd): boolean => event?.outcome === 'failed' || event?.outcome === 'killed';

const providerNames: Readonly<Record<string, string>> = {
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  bedrock: 'aws.bedrock',
};

/**
 * By OpenTelemetry's conventions for generative AI, or for HTTP if we cannot read the call; no text of agents or models is in it.
 */
function describeCall({ head, sessionId, body }: AdmittedRequest): { name: string; attributes: Attributes } {
  const { provider, operation, sentPath } = head;
  const { protocol, hostname, port, origin } = provider.baseUrl;
  const method = describeMethod(head.method);
  const http = {
    ...method.attributes,
    // Without the query, which may hold keys; a provider's URL never holds a password.
    'url.full': `${origin}${provider.basePath}${sentPath}`,
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
const shorten = (model: string): string => model.slice(0, maxModelName);

/** RFC 9110 and RFC 5789: the methods that OpenTelemetry's conventions for HTTP know. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** By those conventions, which have one word for all other methods. */
function describeMethod(method: string): { name: string; attributes: Attributes } {
  if (knownMethods.has(method)) return { name: method, attributes: { 'http.request.method': method } };
  return { name: 'HTTP', attributes: { 'http.request.method': '_OTHER', 'http.request.method_original': method } };
}
