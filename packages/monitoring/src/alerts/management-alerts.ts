import type { Alert } from './alert.ts';

/** Alerts on the management API's metrics, and those for every service. */
export const managementAlerts: Alert[] = [
  {
    name: 'AgpManagementDown',
    expression: 'sum by (namespace) (agp_ready{job="agp-management"}) or on() vector(0)',
    condition: '< 1',
    lasts: '2m',
    severity: 'critical',
    summary: 'No management API is ready: no agent can be blocked through it',
  },
  {
    name: 'AgpInstanceDown',
    expression: 'min by (namespace, job, instance) (up{job=~"agp-.*"})',
    condition: '< 1',
    lasts: '5m',
    severity: 'warning',
    summary: '{{ $labels.job }} {{ $labels.instance }} does not answer Prometheus',
  },
  {
    name: 'AgpManagementFails',
    // The live stream has AgpLiveStreamUnavailable: its clients come back every few seconds while NATS is away.
    expression:
      'sum by (namespace) (rate(agp_management_requests_total{status=~"5..",route!="/api/v1/events/stream"}[5m])) or 0 * sum by (namespace) (rate(agp_management_requests_total[5m]))',
    condition: '> 0',
    lasts: '5m',
    severity: 'warning',
    summary: 'The management API answers with errors of its own',
  },
  {
    name: 'AgpLiveStreamUnavailable',
    expression: 'min by (namespace) (agp_management_live_stream_available)',
    condition: '< 1',
    lasts: '2m',
    severity: 'warning',
    summary: 'A management API has no live stream: it does not reach NATS',
  },
  {
    name: 'AgpAgentsNearCap',
    expression: 'max by (namespace) (agp_management_agents_near_daily_cap)',
    condition: '> 0',
    lasts: '0m',
    severity: 'info',
    summary: '{{ $value }} agents have spent 80 % of their daily cap or more',
  },
  {
    name: 'AgpGlobalCapNear',
    expression: 'max by (namespace) (agp_management_global_daily_cap_used_ratio)',
    condition: '>= 0.8',
    lasts: '0m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the daily cap of all agents is spent',
  },
];
