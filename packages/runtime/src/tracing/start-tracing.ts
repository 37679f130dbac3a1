import type { Tracing, TracingConfig, TracingOptions } from './tracing.ts';

/** Null without an endpoint: OpenTelemetry is loaded only if it is used. */
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
