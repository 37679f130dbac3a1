import { z } from 'zod';

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

/**
 * The variables of OpenTelemetry that we read, under their standard names
 * (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables, .../protocol/exporter).
 */
export const tracingFields = {
  /** Where traces go, as `<endpoint>/v1/traces`. Without an endpoint there is no tracing. */
  otelExporterOtlpEndpoint: httpUrl,
  /** Where traces go, as it stands; counts before the other. */
  otelExporterOtlpTracesEndpoint: httpUrl,
  /** Refused rather than passed over where a platform sets another one for all. */
  otelExporterOtlpProtocol: z.literal('http/protobuf').default('http/protobuf'),
  /** `name=value` pairs with commas between, which often hold a key. */
  otelExporterOtlpHeaders: z.string().optional(),
  otelTracesSampler: z.enum(samplers).default('parentbased_always_on'),
  /** The share of traces that the two ratio samplers keep. */
  otelTracesSamplerArg: z.coerce.number('must be a number').min(0).max(1).default(1),
  /** The longest that a span waits for others before they are sent, in milliseconds. */
  otelBspScheduleDelay: count.default(5_000),
  /** Spans that may wait; further ones are dropped. */
  otelBspMaxQueueSize: count.default(2_048),
  otelSdkDisabled: z.stringbool().default(false),
};

export type TracingConfig = z.infer<z.ZodObject<typeof tracingFields>>;
