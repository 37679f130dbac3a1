import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, type ErrorCode } from '@agp/core/errors';
import { type CallMeter, formatStreamError, type ResponseTap, StreamUsageStripper } from '@agp/metering';
import type { Dispatcher } from 'undici';
import { Flow } from '../answer/flow.ts';
import { type HeaderValues, toAgentHeaders } from '../answer/forwarded-headers.ts';
import { toFailure } from '../answer/to-failure.ts';
import { ContentDigest } from '../body/content-digest.ts';
import type { ProxyContext } from '../context.ts';
import type { Exchange } from '../edge/exchange.ts';
import { type AdmittedRequest, type Answer, type CallTimes, noTimes } from '../journey.ts';
import type { StopReason } from '../stop/running-requests.ts';
import type { RequestTrace } from '../telemetry/request-trace.ts';

/** The agent went away before it had the whole answer. */
class AgentLeft extends Error {}

/** The request was ended here: its agent was blocked, all were paused, or this process stops. */
class Stopped extends Error {}

/** How long the last bytes of a stopped stream may take to leave, in milliseconds. */
const lastWordsMs = 5_000;

/** Where providers put their own request id: OpenAI, Anthropic, Google, Azure (research/field.md section 3.1). */
const requestIdHeaders = ['x-request-id', 'request-id', 'x-goog-request-id', 'apim-request-id'];

/**
 * Sends the request to the provider and the answer to the agent, byte for byte, with a tap beside it.
 *
 * @returns how it ended, when the last byte is out; it does not reject for what provider or agent do
 */
export function forward(
  context: ProxyContext,
  exchange: Exchange,
  request: AdmittedRequest,
  meter: CallMeter,
  trace: RequestTrace | null,
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const running = {
    agentId: request.agent.uuid,
    stop(reason: StopReason) {
      if (relay.stop(reason) && reason !== 'proxy_stopping') context.metrics.killed.inc({ reason });
    },
  };
  const done = context.runningRequests.add(running);
  const relay = new Relay(exchange, request, context.config.upstreamTimeoutSeconds * 1_000, meter, (answer) => {
    done();
    resolve(answer);
  });
  // An agent that left during admission has already closed; it would never be heard of again.
  if (exchange.response.destroyed) relay.onAgentClose();
  else relay.dispatch(context.upstream, trace);
  return promise;
}

function toDispatch({ head, body }: AdmittedRequest): Dispatcher.DispatchOptions & { headers: HeaderValues } {
  const { baseUrl } = head.provider;
  const headers: HeaderValues = { ...head.headers };
  if (Buffer.isBuffer(body.toProvider)) headers['content-length'] = String(body.toProvider.length);
  else if (head.contentLength !== null) headers['content-length'] = String(head.contentLength);
  if (body.inspected?.usageAsked) {
    // The frame that we asked for must be found again, so this answer comes uncompressed.
    for (const name of Object.keys(headers)) if (name.toLowerCase() === 'accept-encoding') delete headers[name];
    headers['accept-encoding'] = 'identity';
  }
  return {
    origin: baseUrl.origin,
    path: head.provider.basePath + head.path + head.query,
    method: head.method as Dispatcher.HttpMethod,
    headers,
    body: body.toProvider,
  };
}

/**
 * Relays one answer.
 *
 *   waiting --status line--> answering --end--> ended
 *      |                        |
 *      +---- error, abort ------+-----------> ended
 */
class Relay implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #request: AdmittedRequest;
  /** How long the agent may leave what was written unread, in milliseconds. */
  readonly #patienceMs: number;
  readonly #meter: CallMeter;
  readonly #resolve: (answer: Answer) => void;
  readonly #digest = new ContentDigest();
  #controller: Dispatcher.DispatchController | null = null;
  #tap: ResponseTap | null = null;
  #stripper: StreamUsageStripper | null = null;
  #status: number | null = null;
  #providerRequestId: string | null = null;
  #firstByteMs: number | null = null;
  #streamed = false;
  #canEndWithError = false;
  #endsAsArray = false;
  #ended = false;
  #sent = false;
  readonly #flow = new Flow();
  readonly #times: CallTimes = { ...noTimes };

  constructor(
    exchange: Exchange,
    request: AdmittedRequest,
    patienceMs: number,
    meter: CallMeter,
    resolve: (answer: Answer) => void,
  ) {
    this.#exchange = exchange;
    this.#request = request;
    this.#patienceMs = patienceMs;
    this.#meter = meter;
    this.#resolve = resolve;
    exchange.response.once('close', () => this.onAgentClose());
  }

  dispatch(upstream: Dispatcher, trace: RequestTrace | null): void {
    const options = toDispatch(this.#request);
    const dispatched = performance.now();
    this.#times.dispatched = dispatched;
    trace?.startCall(this.#request, options.headers, dispatched);
    upstream.dispatch(options, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // What is aborted here is not written.
    if (this.#ended) controller.abort(new AgentLeft());
    else this.#sent = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    if (status < 200 || this.#ended) return;
    const answered = performance.now();
    this.#times.answered = answered;
    const { response } = this.#exchange;
    const { head, agent, sessionId, body } = this.#request;
    for (const name of requestIdHeaders) this.#providerRequestId ??= headers[name]?.toString() ?? null;
    this.#tap = this.#meter.openTap(headers);
    const answerHeaders = toAgentHeaders(headers);
    answerHeaders['X-Agent-Id'] = agent.id;
    answerHeaders['X-Session-Id'] = sessionId;
    answerHeaders['X-Event-Id'] = head.eventId;
    const streams = headers['content-type']?.toLowerCase().startsWith('text/event-stream') ?? false;
    // A server that compresses although it was asked not to sends bytes that nothing can be taken out of, or put into.
    const isPlain = ['', 'identity'].includes(headers['content-encoding']?.toLowerCase() ?? '');
    const isArray = head.operation?.answerFormat === 'array';
    this.#streamed = streams || isArray;
    this.#endsAsArray = isArray && !streams;
    if (streams && isPlain && body.inspected?.usageAsked) {
      this.#stripper = new StreamUsageStripper();
      delete answerHeaders['content-length'];
    }
    // Nor does an error fit into an answer whose length was told: its agent would wait for the rest.
    this.#canEndWithError = (streams || isArray) && isPlain && answerHeaders['content-length'] === undefined;
    try {
      response.writeHead(status, statusMessage?.replace(/[^\t\x20-\x7e]/g, '') ?? '', answerHeaders);
    } catch (error) {
      // A header that Node will not send on: none of the answer is out, and the agent is told that there is none.
      controller.abort(error as Error);
      return;
    }
    this.#status = status;
    const passedOn = performance.now();
    this.#firstByteMs = passedOn - head.arrived;
    this.#times.relayedMs += passedOn - answered;
    if (streams || headers['content-length'] === undefined) response.flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const came = performance.now();
    this.#times.firstChunk ??= came;
    const isRead = this.#tap?.push(chunk) ?? true;
    this.#write(controller, this.#stripper ? this.#stripper.push(chunk) : chunk);
    // A file of results that comes faster than it can be read: nobody waits for its last byte as for a stream's next.
    if (!isRead && this.#flow.pause(controller, 'reader'))
      this.#tap?.whenReady(() => this.#flow.resume(controller, 'reader'));
    this.#times.relayedMs += performance.now() - came;
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#ended) return;
    this.#times.ended = performance.now();
    if (this.#stripper) this.#write(controller, this.#stripper.end());
    this.#exchange.response.end();
    this.#waitForAgent(this.#patienceMs);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#ended) return;
    if (this.#status === null) {
      this.#end('failed', toFailure(error));
      return;
    }
    // The agent has part of an answer: a cut connection is the only honest way to say that it is not whole.
    this.#end('failed', null);
    this.#cut();
  }

  /** Ends the connection behind what the agent has yet to read of it, for which it has a moment. */
  #cut(): void {
    // The request's: an answer has none before its turn, nor after it.
    const { socket } = this.#exchange.request;
    const patience = setTimeout(() => socket.destroy(), lastWordsMs);
    socket.once('close', () => clearTimeout(patience)).destroySoon();
  }

  #write(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#digest.update(bytes);
    const { response } = this.#exchange;
    if (response.write(bytes) || !this.#flow.pause(controller, 'agent')) return;
    // An agent that stops reading must not hold the provider's connection for ever.
    const patience = setTimeout(() => response.destroy(), this.#patienceMs);
    const go = () => {
      clearTimeout(patience);
      response.off('drain', go).off('close', go);
      this.#flow.resume(controller, 'agent');
    };
    response.on('drain', go).on('close', go);
  }

  /** After the last byte is written: an agent that does not read it must not keep its event and its reservation open. */
  #waitForAgent(patienceMs: number): void {
    const { response } = this.#exchange;
    const patience = setTimeout(() => response.destroy(), patienceMs);
    response.once('close', () => clearTimeout(patience));
  }

  /**
   * Ends the request because its agent may not go on, or this process may not. What streams ends with an error that the provider's own SDK
   * raises; what has not begun is refused; anything else is cut, since half of it must not pass for a whole.
   *
   * @returns false where it had ended already
   */
  stop(reason: StopReason): boolean {
    const { response } = this.#exchange;
    // All of it is on its way, or the agent is gone: `close` comes next.
    if (this.#ended || response.writableFinished || response.destroyed) return false;
    const { head } = this.#request;
    const { message, status } = new ApiError(reason);
    if (this.#status !== null) {
      // The provider has said all, and the agent has not taken it: nothing can be written any more.
      if (response.writableEnded) response.destroy();
      else if (this.#canEndWithError) {
        const failure = { code: reason, message, status };
        const bytes = Buffer.from(
          formatStreamError(head.operation?.api ?? head.provider.api, head.operation, this.#endsAsArray, failure),
        );
        this.#digest.update(bytes);
        response.end(bytes);
        this.#waitForAgent(lastWordsMs);
      } else this.#cut();
    }
    this.#end(reason === 'proxy_stopping' ? 'failed' : 'killed', this.#status === null ? reason : null);
    this.#controller?.abort(new Stopped());
    return true;
  }

  /** The connection to the agent is gone, with or without the whole answer. */
  onAgentClose(): void {
    if (this.#ended) return;
    if (this.#exchange.response.writableFinished) {
      this.#end('completed', null);
      return;
    }
    this.#end('aborted', null);
    this.#controller?.abort(new AgentLeft());
  }

  #end(outcome: Answer['outcome'], failure: ErrorCode | null): void {
    if (this.#ended) return;
    this.#ended = true;
    const now = performance.now();
    this.#times.ended ??= now;
    this.#resolve({
      outcome,
      sent: this.#sent,
      failure,
      status: this.#status,
      streamed: this.#streamed,
      providerRequestId: this.#providerRequestId,
      sha256: this.#status === null ? null : this.#digest.digest(),
      firstByteMs: this.#firstByteMs,
      durationMs: now - this.#request.head.arrived,
      times: this.#times,
    });
  }
}
