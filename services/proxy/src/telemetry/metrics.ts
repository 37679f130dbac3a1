import type { DoubtReason } from '@agp/core/contracts';
import type { ErrorCode } from '@agp/core/errors';
import { failureCauses } from '@agp/core/events';
import type { UnscannedReason } from '@agp/metering';
import { Counter, createRegistry, Gauge } from '@agp/runtime';
import type { KillReason } from '../journey.ts';
import { checkResults } from '../policy/checks.ts';
import { Histogram } from './histogram.ts';

/** Classes of a provider's status. 429 has its own: it is the account's limit, not a fault of the request. */
const statusClasses = ['2xx', '3xx', '4xx', '429', '5xx'] as const;

type StatusClass = (typeof statusClasses)[number];

/** A status of 600 or more is in no standard and counts as an error of the server. */
export function toStatusClass(status: number): StatusClass {
  if (status === 429) return '429';
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}

export type ProxyMetrics = ReturnType<typeof createMetrics>;

/** Label values are bounded: configured providers, error codes, outcomes. */
export function createMetrics(held: {
  providers: Iterable<string>;
  outbox(): number;
  running(): number;
  bufferedBytes(): number;
  priceFileIsRefused(): boolean;
}) {
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
  gauge(
    'agp_proxy_price_file_refused',
    '1 while PRICES_FILE cannot be read or is wrong, and calls are charged by what was read before',
    () => Number(held.priceFileIsRefused()),
  );
  const histogram = (name: string, help: string, label: string, bounds: readonly number[]) =>
    new Histogram(registry, name, help, label, bounds);
  const counter = <const Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const metrics = {
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
    failovers: counter(
      'agp_proxy_failovers_total',
      'Calls that went on to another endpoint of their provider, by the endpoint that failed and why; it may bill a call of the reason reset',
      'provider',
      'endpoint',
      'reason',
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
    checks: counter(
      'agp_proxy_checks_total',
      'Questions to the checks of policies, by what they answered, or how they failed',
      'result',
    ),
    budgetWarnings: counter(
      'agp_proxy_budget_warnings_total',
      'Requests over a daily cap or a budget that only warns',
      'cap',
    ),
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
    unpricedUnits: counter(
      'agp_proxy_unpriced_units_total',
      'Requests that used a unit without a known price, by its name; their recorded cost leaves it out (own_price: it is that of an older model)',
      'provider',
      'unit',
    ),
    usageRefused: counter(
      'agp_proxy_usage_refused_total',
      'Streams that were asked for once more because their provider refuses stream_options, as it is remembered from then on',
      'provider',
    ),
    unreadFigures: counter(
      'agp_proxy_unread_figures_total',
      'Answers with a figure in their usage that is not understood, and may be billed, by its name',
      'provider',
      'figure',
    ),
    unknownPaths: counter(
      'agp_proxy_unknown_path_requests_total',
      'Requests with a body, not refused by the provider, on a path whose figures are not read; under a cap each costs 0.01 USD, else 0',
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
  startAtZero(metrics, held.providers);
  return metrics;
}

const refusals = [
  'malformed_request',
  'cost_not_bounded',
  'method_not_allowed',
  'unknown_provider',
  'foreign_host',
  'cross_site_request',
  'unauthorized_agent',
  'agent_blocked',
  'credential_path',
  'hosted_agent',
  'path_not_allowed',
  'session_of_another_agent',
  'request_too_large',
  'body_too_slow',
  'share_used_up',
  'agent_budget_exceeded',
  'global_budget_exceeded',
  'budget_held',
  'rate_limited',
  'too_many_registrations',
  'upgrade_required',
  'not_governed',
  'provider_key_unavailable',
  'status_unavailable',
  'paused',
  'budget_unavailable',
  'labels_unavailable',
  'proxy_overloaded',
  'audit_unavailable',
  'proxy_stopping',
  'internal',
] satisfies ErrorCode[];
const stops: Record<KillReason, true> = { agent_blocked: true, paused: true, policy_denied: true };
const doubts: Record<DoubtReason, true> = {
  claim_too_large: true,
  unreadable: true,
  billed_later: true,
  out_of_range: true,
};
const unscanned: Record<UnscannedReason, true> = {
  unreadable: true,
  out_of_time: true,
  overloaded: true,
  unknown_path: true,
};

/** A series that begins at 1 has not risen, so an alert would miss the first time. */
function startAtZero(metrics: Omit<ProxyMetrics, 'registry'>, providers: Iterable<string>): void {
  for (const code of refusals) metrics.refusals.inc({ code }, 0);
  for (const result of checkResults) metrics.checks.inc({ result }, 0);
  for (const reason of Object.keys(stops)) metrics.killed.inc({ reason }, 0);
  for (const reason of Object.keys(unscanned)) metrics.unscanned.inc({ reason }, 0);
  for (const reason of Object.keys(doubts)) metrics.doubtful.inc({ reason }, 0);
  for (const cap of ['agent', 'global', 'budget']) {
    metrics.budgetWarnings.inc({ cap }, 0);
    metrics.refusedWithRoom.inc({ cap }, 0);
  }
  for (const provider of providers) {
    metrics.unpriced.inc({ provider }, 0);
    metrics.unknownPaths.inc({ provider }, 0);
    for (const outcome of ['completed', 'failed', 'aborted', 'killed']) metrics.requests.inc({ provider, outcome }, 0);
    for (const cause of failureCauses) metrics.providerFailures.inc({ provider, cause }, 0);
    for (const status of statusClasses) metrics.providerAnswers.inc({ provider, status }, 0);
  }
}
