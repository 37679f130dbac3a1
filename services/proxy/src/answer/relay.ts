import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, type ErrorCode } from '@agp/core/errors';
import type { FailureCause } from '@agp/core/events';
import { type AnswerPipe, type CallMeter, findLinkPaths, isPlain, listHeaders } from '@agp/metering';
import { PolicyDenied } from '@agp/policy';
import { EgressProxyError } from '@agp/runtime/egress';
import type { Dispatcher } from 'undici';
import { ContentDigest } from '../body/content-digest.ts';
import type { Exchange, HeaderValues } from '../exchange.ts';
import { type AdmittedRequest, type Answer, type CallTimes, findCaps, noTimes, type StopReason } from '../journey.ts';
import { type AnswerGuard, openGuard } from '../policy/judge-answer.ts';
import type { RequestTrace } from '../telemetry/request-trace.ts';
import { writeAgentHeaders } from './agent-headers.ts';
import { Flow, toDispatch } from './dispatch.ts';
import { AgentLeft, Stopped, toFailure, toFailureCause } from './failures.ts';
import { cutOff, goOnAfter, LastBytes, lastWordsMs, waitForAgent } from './last-bytes.ts';
import { LinkRewriter, readCallersBase, rewriteLinkHeader } from './rewrite-links.ts';
import { openStreamEnd, type StreamEnd } from './stream-end.ts';

/**
 * Relays one answer to the agent through the pipe that reads it, byte for byte but for links and the usage that the proxy asked for.
 *
 *   waiting --status line--> answering --end--> ended
 *      |                        |
 *      +---- error, abort ------+-----------> ended
 */
export class Relay implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #request: AdmittedRequest;
  /** How long the agent may leave written bytes unread, in milliseconds. */
  readonly #patienceMs: number;
  /** Whom a stopped agent is to ask, if that is set. */
  readonly #contact: string | undefined;
  readonly #linkPaths: RegExp[];
  readonly #meter: CallMeter;
  readonly #resolve: (answer: Answer) => void;
  readonly #digest = new ContentDigest();
  #controller: Dispatcher.DispatchController | null = null;
  #pipe: AnswerPipe | null = null;
  /** Null if no policy may end or change this answer. */
  readonly #guard: AnswerGuard | null;
  #denied: PolicyDenied | null = null;
  #links: LinkRewriter | null = null;
  /** Null if no cap refuses. */
  #last: LastBytes | null = null;
  /** The head, which waits for what policies may yet deny; null once it is out. */
  #waiting: { status: number; message: string; headers: HeaderValues } | null = null;
  #status: number | null = null;
  #providerRequestId: string | null = null;
  #firstByteMs: number | null = null;
  #cause: FailureCause | null = null;
  #egress: EgressProxyError | null = null;
  /** Null of what is no stream. */
  #streamEnd: StreamEnd | null = null;
  #canEndWithError = false;
  #ended = false;
  #sent = false;
  readonly #flow = new Flow();
  readonly #times: CallTimes = { ...noTimes };

  constructor(
    exchange: Exchange,
    request: AdmittedRequest,
    { patienceMs, contact }: { patienceMs: number; contact: string | undefined },
    meter: CallMeter,
    resolve: (answer: Answer) => void,
  ) {
    this.#exchange = exchange;
    this.#request = request;
    this.#patienceMs = patienceMs;
    this.#contact = contact;
    this.#linkPaths = findLinkPaths(request.head.path);
    this.#meter = meter;
    this.#resolve = resolve;
    this.#guard = openGuard(request);
    exchange.response.once('close', () => this.onAgentClose());
  }

  dispatch(upstream: Pick<Dispatcher, 'dispatch'>, trace: Pick<RequestTrace, 'startCall'> | null): void {
    const options = toDispatch(this.#request, this.#linkPaths.length > 0 || this.#guard !== null);
    const dispatched = performance.now();
    this.#times.dispatched = dispatched;
    trace?.startCall(this.#request, options.headers, dispatched);
    upstream.dispatch(options, this);
  }

  /** What was sent so far was refused: nobody bills it. */
  forgetSent(): void {
    this.#sent = false;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
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
    for (const name of listHeaders('requestId')) this.#providerRequestId ??= headers[name]?.toString() ?? null;
    this.#pipe = this.#meter.openPipe(headers, {
      ...this.#guard?.passing(status),
      stripsUsage: status < 400 && this.#request.body.inspected?.usageAsked === true,
    });
    if (this.#request.reservation.isCapped && findCaps(this.#request.admission).mayRefuse)
      this.#last = new LastBytes(headers['content-length'], (kept) => this.#pass(controller, kept));
    try {
      const answerHeaders = this.#prepareHeaders(headers);
      const message = statusMessage?.replace(/[^\t\x20-\x7e]/g, '') ?? '';
      this.#waiting = { status, message, headers: answerHeaders };
      if (!this.#guard?.denied && !this.#pipe?.isHeld) this.#begin();
    } catch (error) {
      // Node refuses a header of the provider, or its links cannot be changed, and nothing is out yet.
      controller.abort(error as Error);
      return;
    }
    this.#status = status;
    const passedOn = performance.now();
    this.#firstByteMs = passedOn - this.#request.head.arrived;
    this.#times.relayedMs += passedOn - answered;
    if (this.#endDenied() || this.#waiting !== null) return;
    if (this.#streamEnd !== null || headers['content-length'] === undefined) response.flushHeaders();
  }

  #prepareHeaders(headers: IncomingHttpHeaders): HeaderValues {
    const { head } = this.#request;
    const answerHeaders = writeAgentHeaders(this.#request, headers);
    // The bytes of a server that compresses unasked cannot be changed.
    const canChange = isPlain(headers);
    this.#streamEnd = openStreamEnd(head, headers);
    for (const name of listHeaders('link')) {
      const value = answerHeaders[name];
      if (typeof value !== 'string') continue;
      answerHeaders[name] = rewriteLinkHeader(head.provider, readCallersBase(this.#exchange), value);
    }
    if (this.#linkPaths.length > 0) {
      if (!canChange)
        throw new Error(`links in an answer encoded as ${headers['content-encoding']}, unasked, cannot be changed`);
      this.#links = new LinkRewriter(this.#linkPaths, readCallersBase(this.#exchange));
    }
    if (this.#links || this.#pipe?.changesLength) delete answerHeaders['content-length'];
    // No error can be appended to an answer with Content-Length.
    this.#canEndWithError = canChange && answerHeaders['content-length'] === undefined;
    return answerHeaders;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const came = performance.now();
    this.#times.firstChunk ??= came;
    this.#take(controller, chunk);
    // A file of results may arrive faster than it is read, and a stream than it is searched.
    if (this.#pipe?.isReady === false)
      this.#flow.pauseUntilReady(controller, this.#pipe, () => this.#take(controller, Buffer.alloc(0)));
    this.#times.relayedMs += performance.now() - came;
  }

  #take(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const passed = this.#pipe?.push(chunk) ?? chunk;
    this.#pass(controller, this.#last?.push(chunk, passed, this.#pipe?.sawEnd === true) ?? passed);
    this.#endDenied();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#ended) return;
    this.#times.ended = performance.now();
    const rest = this.#pipe?.end();
    const later = this.#pipe?.later;
    if (later)
      later
        .then((searched) => this.#endWith(controller, searched))
        .catch((error: unknown) => this.onResponseError(controller, error as Error));
    else this.#endWith(controller, rest);
  }

  #endWith(controller: Dispatcher.DispatchController, rest: Buffer | undefined): void {
    if (this.#ended || this.#endDenied()) return;
    const kept = this.#last?.take();
    const endAnswer = () => this.#endAnswer(controller, kept, rest);
    const end = { outcome: 'completed', sent: true, status: this.#status, streamed: this.#streamEnd !== null } as const;
    if (this.#last) goOnAfter(this.#meter.price(end), endAnswer);
    else endAnswer();
  }

  #endAnswer(controller: Dispatcher.DispatchController, first?: Buffer, second?: Buffer): void {
    if (this.#ended) return;
    this.#begin();
    if (first) this.#pass(controller, first);
    if (second) this.#pass(controller, second);
    if (this.#links) this.#write(controller, this.#links.end());
    this.#exchange.response.end();
    waitForAgent(this.#exchange.response, this.#patienceMs);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#ended) return;
    this.#cause = toFailureCause(error);
    if (error instanceof EgressProxyError) this.#egress = error;
    if (this.#status === null || this.#waiting !== null) {
      this.#end('failed', toFailure(error));
      return;
    }
    if (this.#last) this.#pass(controller, this.#last.take());
    // The agent has part of an answer: only a cut connection shows that it is incomplete.
    this.#end('failed', null);
    cutOff(this.#exchange);
  }

  /** @returns whether a policy ended it */
  #endDenied(): boolean {
    const denied = this.#guard?.denied ?? null;
    return denied !== null && this.stop('policy_denied', denied);
  }

  /** The head waits as values: V8 links a kept closure to the next one, and young collections would copy all that they hold. */
  #begin(): void {
    if (this.#waiting === null) return;
    const { status, message, headers } = this.#waiting;
    const isWhole = this.#times.ended !== null;
    if (isWhole ? this.#guard?.isChanged : this.#request.governed.data?.changesAnswer)
      headers['X-Agp-Answer-Changed'] = isWhole ? 'yes' : 'maybe';
    // Node may refuse a header: then nothing is out yet.
    this.#exchange.response.writeHead(status, message, headers);
    this.#waiting = null;
  }

  #pass(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#begin();
    this.#write(controller, this.#links === null ? bytes : this.#links.push(bytes));
  }

  #write(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#digest.update(bytes);
    this.#streamEnd?.push(bytes);
    const { response } = this.#exchange;
    if (!response.write(bytes)) this.#flow.pauseUntilRead(controller, response, this.#patienceMs);
  }

  /**
   * A stream ends with an error that the provider's own SDK raises, an answer that has not begun with a refusal, any other with a cut:
   * half of it must not pass for a whole.
   * @param told what the agent reads
   * @returns false if it had ended already
   */
  stop(reason: StopReason, told: ApiError = new ApiError(reason)): boolean {
    const { response } = this.#exchange;
    if (this.#ended || response.writableFinished || response.destroyed) return false;
    const hasBegun = this.#status !== null && this.#waiting === null;
    if (hasBegun) {
      const last = this.#canEndWithError ? this.#streamEnd?.format(told, this.#contact) : null;
      // All is written, but the agent has not read it.
      if (response.writableEnded) response.destroy();
      else if (last) {
        this.#digest.update(last);
        response.end(last);
        waitForAgent(response, lastWordsMs);
      } else cutOff(this.#exchange);
    }
    if (told instanceof PolicyDenied) this.#denied = told;
    this.#end(reason === 'proxy_stopping' ? 'failed' : 'killed', hasBegun ? null : reason);
    this.#controller?.abort(new Stopped());
    return true;
  }

  onAgentClose(): void {
    if (this.#ended) return;
    const isRead = this.#exchange.response.writableFinished;
    this.#end(isRead ? 'completed' : 'aborted', null);
    if (!isRead) this.#controller?.abort(new AgentLeft());
  }

  #end(outcome: Answer['outcome'], failure: ErrorCode | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#pipe?.close();
    this.#last?.take();
    const now = performance.now();
    this.#times.ended ??= now;
    this.#resolve({
      outcome,
      sent: this.#sent,
      failure,
      denied: this.#denied,
      found: this.#guard?.found ?? null,
      cause: this.#cause,
      egress: this.#egress,
      status: this.#status,
      streamed: this.#streamEnd !== null,
      providerRequestId: this.#providerRequestId,
      sha256: this.#status === null || failure !== null ? null : this.#digest.digest(),
      firstByteMs: this.#firstByteMs,
      durationMs: now - this.#request.head.arrived,
      times: this.#times,
    });
  }
}
