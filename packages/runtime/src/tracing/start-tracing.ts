import type { IncomingHttpHeaders } from 'node:http';
import type { Span } from '@opentelemetry/api';
import type { TracingConfig } from './tracing-fields.ts';

export type { Span } from '@opentelemetry/api';

/** Makes spans and sends them. Times are of the monotonic clock (`performance.now()`), in milliseconds. */
export interface Tracing {
  /**
   * The span of a request that somebody sent us. It continues the trace that a valid `traceparent` of theirs names, and
   * begins one otherwise.
   */
  startServerSpan(name: string, headers: IncomingHttpHeaders, at: number): Span;
  /** The span of a request that we send while `parent` runs. */
  startClientSpan(name: string, parent: Span, at: number): Span;
  /** What `traceparent` says to whom we send a request in the span. */
  writeTraceparent(span: Span): string;
  /** Sends what is left, for two seconds at most, and makes no more spans. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** `proxy`, `writer` ...; the spans' `service.name` is `agp-proxy`, unless `OTEL_SERVICE_NAME` says another. */
  service: string;
  /** Told of each batch of spans that could not be sent; they are lost. */
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
