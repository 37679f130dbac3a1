import { randomUUID } from 'node:crypto';
import {
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  ExportResultCode,
  parseKeyPairsIntoRecord,
  parseTraceParent,
  TRACE_PARENT_HEADER,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { version } from '../health/ops-server.ts';
import { withTimeout } from '../process/keep-trying.ts';
import type { Tracing, TracingConfig, TracingOptions } from './tracing.ts';

const flushWithinMs = 2_000;

/** Names of models come from callers. */
const maxAttributeLength = 256;

export function createTracing(url: string, config: TracingConfig, { service, onFailure }: TracingOptions): Tracing {
  reportTroubles(onFailure);
  const exporter = reportFailures(new OTLPTraceExporter({ url, headers: readHeaders(config) }), onFailure);
  const own = resourceFromAttributes({
    'service.name': `agp-${service}`,
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override our own attributes.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: createSampler(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: config.otelBspScheduleDelay,
        maxQueueSize: config.otelBspMaxQueueSize,
      }),
    ],
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
  });
  const tracer = provider.getTracer('agent-governance-proxy', version);
  const propagator = new W3CTraceContextPropagator();
  return {
    startServerSpan: (name, headers, at) =>
      tracer.startSpan(
        name,
        { kind: SpanKind.SERVER, startTime: at },
        propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter),
      ),
    startClientSpan: (name, parent, at) =>
      tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: at }, trace.setSpan(ROOT_CONTEXT, parent)),
    continueIn: (span, headers) => {
      if (!span.isRecording()) return;
      for (const [name, value] of Object.entries(headers)) {
        if (name.toLowerCase() !== TRACE_PARENT_HEADER || parseTraceParent(String(value)) === null) continue;
        const { traceId, spanId, traceFlags } = span.spanContext();
        headers[name] = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
      }
    },
    fail: (span, errorType) => {
      span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
    },
    stop: () => withTimeout(provider.shutdown(), flushWithinMs).catch(() => {}),
  };
}

function readHeaders({ otelExporterOtlpHeaders }: TracingConfig): Record<string, string> {
  return otelExporterOtlpHeaders === undefined ? {} : parseKeyPairsIntoRecord(otelExporterOtlpHeaders);
}

function reportTroubles(onFailure: (error: Error) => void): void {
  const report = (message: string) => onFailure(new Error(message.slice(0, 200)));
  const drop = () => {};
  const logger = { error: report, warn: report, info: drop, debug: drop, verbose: drop };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Without this, an absent collector would leave no trace in the log. */
function reportFailures(exporter: SpanExporter, onFailure: (error: Error) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) onFailure(result.error ?? new Error('spans could not be sent'));
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** The SDK does not read `OTEL_TRACES_SAMPLER` itself. */
function createSampler({ otelTracesSampler, otelTracesSamplerArg }: TracingConfig): Sampler {
  const kind = otelTracesSampler.replace('parentbased_', '');
  const root =
    kind === 'always_off'
      ? new AlwaysOffSampler()
      : kind === 'traceidratio'
        ? new TraceIdRatioBasedSampler(otelTracesSamplerArg)
        : new AlwaysOnSampler();
  return kind === otelTracesSampler ? root : new ParentBasedSampler({ root });
}
