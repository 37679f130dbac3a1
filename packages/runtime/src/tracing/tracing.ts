import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes, Span } from '@opentelemetry/api';

export type { Attributes, Span };

/** Makes spans and sends them. Times are Unix milliseconds, with fractions. */
export interface Tracing {
  /**
   * The span of an incoming request. It continues the trace that a valid `traceparent` names, or begins one.
   */
  startServerSpan(name: string, headers: IncomingHttpHeaders, at: number): Span;
  /** The span of a request that we send as part of `parent`. */
  startClientSpan(name: string, parent: Span, at: number): Span;
  /**
   * Makes the span the parent in an outgoing `traceparent` header. The header is never added, and stays unchanged if it is invalid or
   * the trace is not sampled.
   */
  continueIn(span: Span, headers: Record<string, string | string[]>): void;
  /** @param errorType one of a fixed set of words */
  fail(span: Span, errorType: string): void;
  /** Sends what is left, for two seconds at most, and makes no more spans. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** `proxy`, `writer` ...; `service.name` of the spans is `agp-proxy`, unless `OTEL_SERVICE_NAME` is set. */
  service: string;
  /** Called for each batch of spans that was lost, because it could not be sent or the queue was full. */
  onFailure: (error: Error) => void;
}
