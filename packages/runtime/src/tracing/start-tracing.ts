import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes, Span } from '@opentelemetry/api';
import type { TracingConfig } from './tracing-fields.ts';

export type { Attributes, Span };

/** Makes spans and sends them. Times are in milliseconds since 1970 UTC, and parts of such. */
export interface Tracing {
  /**
   * The span of a request that somebody sent us. It continues the trace that a valid `traceparent` of theirs names, and
   * begins one otherwise.
   */
  startServerSpan(name: string, headers: IncomingHttpHeaders, at: number): Span;
  /** The span of a request that we send while `parent` runs. */
  startClientSpan(name: string, parent: Span, at: number): Span;
  /**
   * Makes the span the parent that `traceparent` names to whom we send a request. None is added where there was none, and
   * one that nobody can read, or whose trace is not kept, stays as it is.
   */
  continueIn(span: Span, headers: Record<string, string | string[]>): void;
  /** @param errorType a word from a bounded set */
  fail(span: Span, errorType: string): void;
  /** Sends what is left, for two seconds at most, and makes no more spans. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** `proxy`, `writer` ...; the spans' `service.name` is `agp-proxy`, unless `OTEL_SERVICE_NAME` says another. */
  service: string;
  /** Told of each batch of spans that could not be sent or did not fit into the queue; they are lost. */
  onFailure: (error: Error) => void;
}

/**
 * Tracing over OTLP where an endpoint is configured, else null. Nothing of OpenTelemetry is loaded before it is known
 * that it will be used.
 */
export async function startTracing(config: TracingConfig, options: TracingOptions): Promise<Tracing | null> {
  const url = findEndpoint(config);
  if (url === null || config.otelSdkDisabled) return null;
  const { createTracing } = await import('./create-tracing.ts');
  return createTracing(url, config, options);
}

function findEndpoint(config: TracingConfig): string | null {
  if (config.otelExporterOtlpTracesEndpoint !== undefined) return config.otelExporterOtlpTracesEndpoint;
  if (config.otelExporterOtlpEndpoint === undefined) return null;
  return `${config.otelExporterOtlpEndpoint.replace(/\/$/, '')}/v1/traces`;
}
