/** A series of Prometheus, and its values minute by minute in promtool's notation: `0+5x60` rises by 5 an hour long. */
type Planted = Record<string, string>;

const constant = (value: number) => `${value}+0x120`;
const rising = (by: number) => `0+${by}x120`;
const refusals = (code: string) => `agp_proxy_refusals_total{code="${code}",instance="p1"}`;
const up = (service: string) => `up{job="agp-${service}",instance="i1"}`;
const refused = (code: string) => ({
  sick: { [refusals(code)]: rising(30) },
  healthy: { [refusals(code)]: constant(30) },
});
const ready = (service: string, instance: string) => `agp_ready{job="agp-${service}",instance="${instance}"}`;
const inNamespace = (service: string, namespace: string) => `agp_ready{job="agp-${service}",namespace="${namespace}"}`;
const gone = (service: string) => ({
  sick: [
    { [ready(service, 'i1')]: constant(0) },
    { [ready(service, 'i1')]: '1+0x10 stale' },
    // One of two installations that a Prometheus knows.
    { [inNamespace(service, 'one')]: constant(0), [inNamespace(service, 'two')]: constant(1) },
  ],
  healthy: { [ready(service, 'i1')]: constant(0), [ready(service, 'i2')]: constant(1) },
});
const counted = (series: string) => ({ sick: { [series]: rising(3) }, healthy: { [series]: constant(3) } });
const valued = (series: string, sick: number, healthy: number) => ({
  sick: { [series]: constant(sick) },
  healthy: { [series]: constant(healthy) },
});
const requests = (outcome: string) => `agp_proxy_requests_total{provider="openai",outcome="${outcome}"}`;
const answers = (status: string) => `agp_proxy_provider_answers_total{provider="openai",status="${status}"}`;
const answered = (series: {
  failed: number;
  fine: number;
  wrong: number;
  limited: number;
  broken: number;
}): Planted => ({
  [requests('failed')]: rising(series.failed),
  [requests('completed')]: rising(series.fine + series.wrong + series.limited + series.broken),
  [answers('2xx')]: rising(series.fine),
  [answers('4xx')]: rising(series.wrong),
  [answers('429')]: rising(series.limited),
  [answers('5xx')]: rising(series.broken),
});
const overhead = (le: string) => `agp_proxy_overhead_seconds_bucket{provider="openai",le="${le}"}`;
const unscanned = 'agp_proxy_unscanned_requests_total{reason="out_of_time"}';
/** promtool's clock begins at 0, the time of these rules' `time()`. */
const twelveWeeks = 7_257_600;

/** For each alert, series that must fire it (several cases may be listed), and similar series that must not. */
export const plantedSeries: Record<string, { sick: Planted | Planted[]; healthy: Planted }> = {
  AgpProxyDown: gone('proxy'),
  AgpOutboxFilling: valued('agp_proxy_outbox_events{instance="p1"}', 5_001, 4_999),
  AgpEventsDropped: counted('agp_proxy_dropped_events_total{instance="p1"}'),
  AgpPublishesRefused: counted('agp_proxy_refused_publishes_total{instance="p1"}'),
  AgpStorageUnreadable: refused('status_unavailable'),
  AgpAuditUnavailable: refused('audit_unavailable'),
  AgpProxyOverloaded: refused('proxy_overloaded'),
  AgpGlobalCapReached: refused('global_budget_exceeded'),
  AgpRefusedWithRoomLeft: counted('agp_proxy_refused_with_room_total{cap="agent",instance="p1"}'),
  AgpBudgetsWithoutRedis: counted('agp_proxy_budget_fallbacks_total{instance="p1"}'),
  AgpUnpricedModels: counted('agp_proxy_unpriced_requests_total{provider="openai"}'),
  AgpDoubtfulUsage: counted('agp_proxy_doubtful_usage_total{reason="unreadable"}'),
  AgpTextNotScanned: {
    sick: { [unscanned]: rising(2), [requests('completed')]: rising(100) },
    healthy: { [unscanned]: rising(1), [requests('completed')]: rising(200) },
  },
  AgpRefusalsUncounted: counted('agp_proxy_uncounted_refusals_total{instance="p1"}'),
  AgpProviderFailing: {
    // None of the three kinds would fire it alone, and requests that the agent got wrong do not count.
    sick: answered({ failed: 8, fine: 78, wrong: 0, limited: 7, broken: 7 }),
    healthy: answered({ failed: 6, fine: 22, wrong: 60, limited: 6, broken: 6 }),
  },
  AgpProxySlow: {
    sick: { [overhead('0.25')]: rising(90), [overhead('0.5')]: rising(100), [overhead('+Inf')]: rising(100) },
    healthy: { [overhead('0.1')]: rising(100), [overhead('0.25')]: rising(100), [overhead('+Inf')]: rising(100) },
  },
  AgpWriterDown: gone('writer'),
  AgpWriterLag: valued('agp_writer_pending_messages{instance="w1"}', 10_001, 9_999),
  AgpStreamFilling: valued('agp_writer_stream_used_ratio{instance="w1"}', 0.51, 0.49),
  AgpRecordingFails: counted('agp_writer_retries_total{step="record"}'),
  AgpMessagesQuarantined: valued('agp_writer_quarantine_waiting_messages{instance="w1"}', 1, 0),
  AgpRequestsEndedWithoutRecord: counted('agp_writer_requests_ended_without_record_total{instance="w1"}'),
  AgpPartitionsRunningOut: valued('agp_writer_partitions_end_timestamp_seconds{instance="w1"}', 1_209_600, twelveWeeks),
  AgpDefaultPartitionUsed: valued('agp_writer_default_partition_events{instance="w1"}', 1, 0),
  AgpAuditSealingBehind: valued('agp_writer_unsealed_refusals_age_seconds{instance="w1"}', 601, 90),
  AgpManagementDown: gone('management'),
  AgpInstanceDown: {
    sick: { [up('proxy')]: constant(0), 'up{job="agp-proxy",instance="i2"}': constant(1) },
    healthy: { [up('proxy')]: constant(1), 'up{job="other",instance="i2"}': constant(0) },
  },
  AgpManagementFails: {
    sick: { 'agp_management_requests_total{route="/",status="500"}': rising(1) },
    healthy: {
      'agp_management_requests_total{route="/",status="404"}': rising(50),
      'agp_management_requests_total{route="/api/v1/events/stream",status="503"}': rising(50),
    },
  },
  AgpLiveStreamUnavailable: {
    sick: {
      'agp_management_live_stream_available{instance="m1"}': constant(0),
      'agp_management_live_stream_available{instance="m2"}': constant(1),
    },
    healthy: { 'agp_management_live_stream_available{instance="m1"}': constant(1) },
  },
  AgpAgentsNearCap: valued('agp_management_agents_near_daily_cap{instance="m1"}', 1, 0),
  AgpGlobalCapNear: valued('agp_management_global_daily_cap_used_ratio{instance="m1"}', 0.8, 0.79),
};
