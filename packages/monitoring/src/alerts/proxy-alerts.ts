import type { Alert } from './alert.ts';

const refused = (code: string) => `sum by (namespace) (rate(agp_proxy_refusals_total{code="${code}"}[5m]))`;

/** Alerts on the proxies' metrics. */
export const proxyAlerts: Alert[] = [
  {
    name: 'AgpProxyDown',
    expression: 'sum by (namespace) (agp_ready{job="agp-proxy"}) or on() vector(0)',
    condition: '< 1',
    lasts: '1m',
    severity: 'critical',
    summary: 'No proxy is ready: agents reach no provider',
  },
  {
    name: 'AgpOutboxFilling',
    expression: 'max by (namespace, instance) (agp_proxy_outbox_events)',
    condition: '> 5000',
    lasts: '1m',
    severity: 'critical',
    summary:
      '{{ $labels.instance }} holds {{ $value }} events that JetStream has not confirmed; at 10,000 events are lost',
  },
  {
    name: 'AgpEventsDropped',
    expression: 'sum by (namespace, instance) (increase(agp_proxy_dropped_events_total[15m]))',
    condition: '> 0',
    lasts: '0m',
    severity: 'critical',
    summary: '{{ $labels.instance }} lost events, because its outbox was full',
  },
  {
    name: 'AgpPublishesRefused',
    expression: 'sum by (namespace, instance) (rate(agp_proxy_refused_publishes_total[5m]))',
    condition: '> 0',
    lasts: '2m',
    severity: 'warning',
    summary: 'JetStream refuses events of {{ $labels.instance }}; they wait in its outbox',
  },
  {
    name: 'AgpStorageUnreadable',
    expression: refused('status_unavailable'),
    condition: '> 0',
    lasts: '1m',
    severity: 'critical',
    summary: 'Proxies cannot read Postgres, so they refuse requests with 503',
  },
  {
    name: 'AgpAuditUnavailable',
    expression: refused('audit_unavailable'),
    condition: '> 0',
    lasts: '1m',
    severity: 'critical',
    summary: 'With AUDIT=strict, proxies refuse requests whose event they could not keep',
  },
  {
    name: 'AgpProxyOverloaded',
    expression: refused('proxy_overloaded'),
    condition: '> 0',
    lasts: '2m',
    severity: 'warning',
    summary: 'Proxies refuse requests, because the bodies or connections that they hold reach their bound',
  },
  {
    name: 'AgpGlobalCapReached',
    expression: refused('global_budget_exceeded'),
    condition: '> 0',
    lasts: '1m',
    severity: 'critical',
    summary: 'The daily cap of all agents is spent: every request under it is refused until 00:00 UTC',
  },
  {
    name: 'AgpRefusedWithRoomLeft',
    expression: 'sum by (namespace, cap) (rate(agp_proxy_refused_with_room_total[5m]))',
    condition: '> 0',
    lasts: '10m',
    severity: 'warning',
    summary:
      'Requests are refused because running ones hold what recorded spend leaves under the cap ({{ $labels.cap }})',
  },
  {
    name: 'AgpBudgetsWithoutRedis',
    expression: 'sum by (namespace, instance) (rate(agp_proxy_budget_fallbacks_total[5m]))',
    condition: '> 0',
    lasts: '2m',
    severity: 'warning',
    summary: '{{ $labels.instance }} keeps budgets without Redis; several proxies together may pass a cap',
  },
  {
    name: 'AgpUnpricedModels',
    expression:
      'sum by (namespace, provider) (increase({__name__=~"agp_proxy_unpriced_(requests|units)_total",unit=~"|own_price"}[1h]))',
    condition: '> 0',
    lasts: '0m',
    severity: 'warning',
    summary:
      'Requests to {{ $labels.provider }} are recorded with cost 0, or that of an older model: their own has no price',
  },
  {
    name: 'AgpDoubtfulUsage',
    expression: 'sum by (namespace, reason) (increase(agp_proxy_doubtful_usage_total{reason!="billed_later"}[1h]))',
    condition: '> 0',
    lasts: '0m',
    severity: 'warning',
    summary: 'The recorded figures of {{ $value }} calls are in doubt: {{ $labels.reason }}',
  },
  {
    name: 'AgpTextNotScanned',
    expression:
      'sum by (namespace) (rate(agp_proxy_unscanned_requests_total[1h])) / sum by (namespace) (rate(agp_proxy_requests_total[1h]))',
    condition: '> 0.01',
    lasts: '15m',
    severity: 'warning',
    summary: 'The text of {{ $value | humanizePercentage }} of the requests was not wholly searched for personal data',
  },
  {
    name: 'AgpRefusalsUncounted',
    expression: 'sum by (namespace) (increase(agp_proxy_uncounted_refusals_total[15m]))',
    condition: '> 0',
    lasts: '0m',
    severity: 'warning',
    summary: 'The audit log misses refused requests: too many different ones waited for storage',
  },
  {
    name: 'AgpProviderFailing',
    // A complete error answer is not a failed request, so both are counted. An error answer that breaks off, which is rare, counts twice.
    expression:
      '(sum by (namespace, provider) (rate(agp_proxy_requests_total{outcome="failed"}[5m])) + sum by (namespace, provider) (rate(agp_proxy_provider_answers_total{status=~"429|5xx"}[5m]))) / sum by (namespace, provider) (rate(agp_proxy_requests_total[5m]))',
    condition: '> 0.2',
    lasts: '5m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the requests to {{ $labels.provider }} fail',
  },
  {
    name: 'AgpProxySlow',
    expression: 'histogram_quantile(0.99, sum by (namespace, le) (rate(agp_proxy_overhead_seconds_bucket[5m])))',
    condition: '> 0.25',
    lasts: '10m',
    severity: 'warning',
    summary: 'One request of a hundred waits more than {{ $value | humanizeDuration }} for the proxy itself',
  },
];
