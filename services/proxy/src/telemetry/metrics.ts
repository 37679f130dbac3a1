import { Counter, createRegistry, Gauge, Histogram } from '@agp/runtime';

export type ProxyMetrics = ReturnType<typeof createMetrics>;

/** The proxy's metrics. Label values are bounded: providers of the configuration, error codes, outcomes. */
export function createMetrics(held: { outbox: () => number; running: () => number; bufferedBytes: () => number }) {
  const registry = createRegistry('proxy');
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('agp_proxy_outbox_events', 'Events that JetStream has not confirmed yet', held.outbox);
  gauge('agp_proxy_running_requests', 'Requests between ingress and their event', held.running);
  gauge('agp_proxy_buffered_bytes', 'Request bodies held in memory', held.bufferedBytes);
  const histogram = <const Label extends string>(name: string, help: string, label: Label, buckets: number[]) =>
    new Histogram({ name, help, labelNames: [label], buckets, registers });
  const counter = <const Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    registry,
    requests: counter('agp_proxy_requests_total', 'Forwarded requests by how they ended', 'provider', 'outcome'),
    providerAnswers: counter(
      'agp_proxy_provider_answers_total',
      'Answers of providers by the class of their status; 429 has its own',
      'provider',
      'status',
    ),
    providerFailures: counter(
      'agp_proxy_provider_failures_total',
      'Forwarded requests whose provider could not be reached or broke off, by cause',
      'provider',
      'cause',
    ),
    refusals: counter('agp_proxy_refusals_total', 'Requests that were not forwarded, by error code', 'code'),
    refusedWithRoom: counter(
      'agp_proxy_refused_with_room_total',
      'Requests refused although recorded spend leaves room for them, because requests in flight hold it, by cap',
      'cap',
    ),
    uncountedRefusals: counter(
      'agp_proxy_uncounted_refusals_total',
      'Refused requests that the audit log misses, because too many different ones waited for storage',
    ),
    duration: histogram(
      'agp_proxy_request_duration_seconds',
      'From ingress to the last byte of the answer',
      'provider',
      [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
    ),
    overhead: histogram(
      'agp_proxy_overhead_seconds',
      'What the proxy adds to a forwarded request: from ingress until it is handed to the connection to the provider, without the wait for its body, and the work on each piece of the answer before that is handed to the agent',
      'provider',
      [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    ),
    provider: histogram(
      'agp_proxy_provider_seconds',
      'From when a request is handed to the connection to the provider, which may have to be made, until the last byte of the answer, or its failure, or its end by us',
      'provider',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    ),
    providerFirstByte: histogram(
      'agp_proxy_provider_first_byte_seconds',
      "From when a request is handed to the connection to the provider until the answer's status and headers are there",
      'provider',
      [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    ),
    steps: histogram(
      'agp_proxy_step_seconds',
      'Time that a request spends in a step of the pipeline, also in the one that refuses it',
      'step',
      [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120],
    ),
    budgetWarnings: counter('agp_proxy_budget_warnings_total', 'Requests over a daily cap that only warns', 'cap'),
    budgetFallbacks: counter(
      'agp_proxy_budget_fallbacks_total',
      'Calls of Redis for budgets that failed; this process then goes on with what it knows itself',
    ),
    killed: counter(
      'agp_proxy_killed_requests_total',
      'Running requests that were ended because their agent was blocked, or all were paused',
      'reason',
    ),
    unpriced: counter(
      'agp_proxy_unpriced_requests_total',
      'Requests whose model has no known price; their recorded cost is 0',
      'provider',
    ),
    unknownPaths: counter(
      'agp_proxy_unknown_path_requests_total',
      'Requests with a body, not refused by the provider, on a path whose figures are not read; under a cap each costs BUDGET_UNPRICED_USD, else 0',
      'provider',
    ),
    doubtful: counter(
      'agp_proxy_doubtful_usage_total',
      'Calls whose recorded figures are in doubt, by reason',
      'reason',
    ),
    unscanned: counter(
      'agp_proxy_unscanned_requests_total',
      'Requests with text, some or all of which was not scanned for PII, by reason',
      'reason',
    ),
    droppedEvents: counter('agp_proxy_dropped_events_total', 'Events lost because the outbox was full'),
    refusedEvents: counter(
      'agp_proxy_refused_publishes_total',
      'Tries to publish an event that JetStream refused; the event is sent again',
    ),
  };
}
