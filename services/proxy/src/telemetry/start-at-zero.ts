import type { DoubtReason } from '@agp/core/contracts';
import type { ErrorCode } from '@agp/core/errors';
import { failureCauses } from '@agp/core/events';
import type { UnscannedReason } from '@agp/metering';
import { statusClasses } from '../answer/status-class.ts';
import type { KillReason } from '../stop/running-requests.ts';
import type { ProxyMetrics } from './metrics.ts';

const refusals = [
  'malformed_request',
  'cost_not_bounded',
  'method_not_allowed',
  'unknown_provider',
  'foreign_host',
  'cross_site_request',
  'unauthorized_agent',
  'agent_blocked',
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
  'not_governed',
  'status_unavailable',
  'paused',
  'budget_unavailable',
  'proxy_overloaded',
  'audit_unavailable',
  'proxy_stopping',
  'internal',
] satisfies ErrorCode[];
const stops: Record<KillReason, true> = { agent_blocked: true, paused: true };
const doubts: Record<DoubtReason, true> = { claim_too_large: true, unreadable: true, out_of_range: true };
const unscanned: Record<UnscannedReason, true> = {
  unreadable: true,
  out_of_time: true,
  overloaded: true,
  unknown_path: true,
};

/** Exports counters with all their labels at 0. A series that begins at 1 has not risen, so an alert would miss the first time. */
export function startAtZero(metrics: ProxyMetrics, providers: Iterable<string>): void {
  for (const code of refusals) metrics.refusals.inc({ code }, 0);
  for (const reason of Object.keys(stops)) metrics.killed.inc({ reason }, 0);
  for (const reason of Object.keys(unscanned)) metrics.unscanned.inc({ reason }, 0);
  for (const reason of Object.keys(doubts)) metrics.doubtful.inc({ reason }, 0);
  for (const cap of ['agent', 'global']) {
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
