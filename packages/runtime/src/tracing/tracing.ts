import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes, Span } from '@opentelemetry/api';
import { z } from 'zod';

export type { Attributes, Span };

export interface Tracing {
  /** Continues the trace that a valid `traceparent` names, or begins one. Times are Unix milliseconds, with fractions. */
  startServerSpan(name: string, headers: IncomingHttpHeaders, at: number): Span;
  startClientSpan(name: string, parent: Span, at: number): Span;
  /** In an outgoing `traceparent`, which is never added, and stays if it is invalid or the trace is not sampled. */
  continueIn(span: Span, headers: Record<string, string | string[]>): void;
  fail(span: Span, errorType: string): void;
  stop(): Promise<void>;
}

export interface TracingOptions {
  service: string;
  onFailure: (error: Error) => void;
}

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional();

const count = z.coerce.number().int().min(1);

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** OpenTelemetry's variables that we read, under their standard names (opentelemetry.io/docs/specs/otel). */
export const tracingFields = {
  otelExporterOtlpEndpoint: httpUrl,
  otelExporterOtlpTracesEndpoint: httpUrl,
  // Refused rather than ignored if a platform sets another one for all.
  otelExporterOtlpProtocol: z.literal('http/protobuf').default('http/protobuf'),
  otelExporterOtlpHeaders: z.string().optional(),
  otelTracesSampler: z.enum(samplers).default('parentbased_always_on'),
  otelTracesSamplerArg: z.coerce.number('must be a number').min(0).max(1).default(1),
  otelBspScheduleDelay: count.default(5_000),
  otelBspMaxQueueSize: count.default(2_048),
  otelSdkDisabled: z.stringbool().default(false),
};

export type TracingConfig = z.infer<z.ZodObject<typeof tracingFields>>;
