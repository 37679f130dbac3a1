import { prom, promNow, type Query, sqlTable, statPanel, tablePanel, timePanel } from '../panels.ts';
import { makeDashboard, providerVariable } from './make-dashboard.ts';

const rate = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;
const quantile = (part: number, metric: string, by = '') =>
  `histogram_quantile(${part}, sum by (le${by}) (rate(${metric}[$__rate_interval])))`;

const lines = (title: string, description: string, width: number, unit: string, ...queries: Query[]) =>
  timePanel({ title, description, queries, width, unit });

const storageFigure = (title: string, description: string, column: string, shown: { unit?: 's'; alarmAt?: number }) =>
  statPanel({
    title,
    description,
    queries: [sqlTable(`SELECT ${column} AS "value" FROM reporting.recording_health`)],
    width: 4,
    unit: 'short',
    ...shown,
  });

const storage = [
  storageFigure('Messages set aside', 'That can never be recorded and were not replayed', 'quarantine_waiting', {
    alarmAt: 1,
  }),
  storageFigure(
    'Partitions end in',
    'Until then events have a partition of their week',
    'extract(epoch FROM partitions_end - now())',
    { unit: 's' },
  ),
  storageFigure(
    'Events without partition',
    'In the default partition, counted up to 10,000',
    'default_partition_events',
    { alarmAt: 1 },
  ),
  storageFigure('Events not recorded', 'Lost or set aside, and their cost counted in budgets', 'unrecorded_events', {
    alarmAt: 1,
  }),
  statPanel({
    title: 'Refusals not sealed yet',
    description: 'Age of the oldest minute that is not in the chain of the audit log; a minute and a half is usual',
    queries: [
      sqlTable(
        `SELECT coalesce(extract(epoch FROM now() - oldest_unsealed_refusals), 0) AS "age" FROM reporting.recording_health`,
      ),
    ],
    width: 4,
    unit: 's',
    alarmAt: 600,
  }),
  statPanel({
    title: 'Instances up',
    description: 'Of each service, as Prometheus reaches them',
    queries: [promNow('sum by (job) (up{job=~"agp-.*"})', '{{job}}')],
    width: 4,
  }),
];

const way = [
  lines(
    'Outbox',
    'Events that JetStream has not confirmed, by proxy; 10,000 is full',
    8,
    'short',
    prom('agp_proxy_outbox_events', '{{instance}}'),
  ),
  lines(
    'Backlog of the stream',
    'Messages that no writer has fetched, and those fetched and not acknowledged',
    8,
    'short',
    prom('max(agp_writer_pending_messages)', 'pending'),
    prom('max(agp_writer_unacknowledged_messages)', 'unacknowledged'),
  ),
  lines(
    'Recorded events',
    'A second, by writer; and those that were delivered again after they had been recorded',
    8,
    'cps',
    prom(rate('agp_writer_events_recorded_total', 'instance'), '{{instance}}'),
    prom('sum(rate(agp_writer_events_known_total[$__rate_interval]))', 'delivered again'),
  ),
  lines(
    'Time of a batch',
    'In each step, retries included: half of the batches took longer, and one of a hundred',
    8,
    's',
    prom(quantile(0.5, 'agp_writer_step_seconds_bucket', ', step'), '{{step}} p50'),
    prom(quantile(0.99, 'agp_writer_step_seconds_bucket', ', step'), '{{step}} p99'),
  ),
  lines(
    'Size of a batch',
    'Events; full ones have 100',
    8,
    'short',
    prom(quantile(0.5, 'agp_writer_batch_events_bucket'), 'p50'),
    prom(quantile(0.99, 'agp_writer_batch_events_bucket'), 'p99'),
  ),
  lines(
    'Room in the stream',
    'Part of it that is taken; a full stream refuses events',
    8,
    'percentunit',
    prom('max(agp_writer_stream_used_ratio)', 'taken'),
  ),
  lines(
    'Retries of writers',
    'Failed tries, by step',
    8,
    'cps',
    prom(rate('agp_writer_retries_total', 'step'), '{{step}}'),
  ),
];

const losses = [
  lines(
    'Dropped events',
    'Lost because an outbox was full, and publishes that JetStream refused and that are tried again',
    8,
    'cps',
    prom('sum(rate(agp_proxy_dropped_events_total[$__rate_interval]))', 'dropped'),
    prom('sum(rate(agp_proxy_refused_publishes_total[$__rate_interval]))', 'refused'),
  ),
  lines(
    'Messages set aside over time',
    'By writers, by what was wrong with the message',
    8,
    'cps',
    prom(rate('agp_writer_messages_quarantined_total', 'code'), '{{code}}'),
  ),
  lines(
    'Not searched for personal data',
    'Requests whose text was not searched, or only in part, by reason',
    8,
    'cps',
    prom(rate('agp_proxy_unscanned_requests_total', 'reason'), '{{reason}}'),
  ),
  tablePanel({
    title: 'Models without a price',
    description: 'Their cost is recorded as 0; since they were first used',
    queries: [
      sqlTable(
        `SELECT provider AS "Provider", model AS "Model", request_count AS "Requests", prompt_tokens AS "Input tokens",\n` +
          `  completion_tokens AS "Output tokens", first_event_at AS "First used", last_event_at AS "Last used"\n` +
          'FROM reporting.unpriced_models ORDER BY last_event_at DESC LIMIT 100',
      ),
    ],
    width: 12,
  }),
  lines(
    'Refusals by code',
    'Of all proxies, as they happen',
    12,
    'reqps',
    prom(rate('agp_proxy_refusals_total', 'code'), '{{code}}'),
  ),
];

const latency = [
  lines(
    'What the proxy adds',
    'Without the wait for the agent’s body and for the provider',
    8,
    's',
    ...[0.5, 0.95, 0.99].map((part) =>
      prom(quantile(part, 'agp_proxy_overhead_seconds_bucket{provider=~"$provider"}'), `p${part * 100}`),
    ),
  ),
  lines(
    'The provider’s time',
    'Until the last byte of the answer, and until its first',
    8,
    's',
    prom(quantile(0.5, 'agp_proxy_provider_seconds_bucket{provider=~"$provider"}', ', provider'), '{{provider}} p50'),
    prom(quantile(0.95, 'agp_proxy_provider_seconds_bucket{provider=~"$provider"}', ', provider'), '{{provider}} p95'),
    prom(
      quantile(0.5, 'agp_proxy_provider_first_byte_seconds_bucket{provider=~"$provider"}', ', provider'),
      '{{provider}} first byte p50',
    ),
  ),
  lines(
    'Steps of a request',
    'One request of a hundred takes longer in it',
    8,
    's',
    prom(quantile(0.99, 'agp_proxy_step_seconds_bucket', ', step'), '{{step}}'),
  ),
  lines(
    'Management API',
    'By route: one request of twenty takes longer',
    12,
    's',
    prom(quantile(0.95, 'agp_management_request_duration_seconds_bucket', ', route'), '{{route}}'),
  ),
  lines(
    'Open streams',
    'Clients of the live event stream, by instance',
    12,
    'short',
    prom('agp_management_open_streams', '{{instance}}'),
  ),
];

const processes = [
  lines(
    'Memory',
    'Resident, by instance',
    8,
    'bytes',
    prom('process_resident_memory_bytes{job=~"agp-.*"}', '{{job}} {{instance}}'),
  ),
  lines(
    'CPU',
    'Cores in use, by instance',
    8,
    'short',
    prom('rate(process_cpu_seconds_total{job=~"agp-.*"}[$__rate_interval])', '{{job}} {{instance}}'),
  ),
  lines(
    'Event loop lag',
    'One turn of a hundred comes later than this',
    8,
    's',
    prom('nodejs_eventloop_lag_p99_seconds{job=~"agp-.*"}', '{{job}} {{instance}}'),
  ),
  lines('Requests in flight', 'By proxy', 12, 'short', prom('agp_proxy_running_requests', '{{instance}}')),
  lines(
    'Bodies in memory',
    'Request bodies that a proxy holds; at MAX_BUFFERED_BYTES it refuses',
    12,
    'bytes',
    prom('agp_proxy_buffered_bytes', '{{instance}}'),
  ),
];

/** Health of recording: losses, delays, and where the time goes. */
export const recordingDashboard = makeDashboard({
  uid: 'agp-recording',
  title: 'AGP / Recording health',
  description: 'Recording of events: delays, losses, messages set aside, and where the time goes',
  from: 'now-6h',
  variables: [providerVariable()],
  rows: [
    { title: 'Storage', panels: storage },
    { title: 'The way of an event', panels: way },
    { title: 'What is missing', panels: losses },
    { title: 'Latency', panels: latency },
    { title: 'Processes', panels: processes },
  ],
});
