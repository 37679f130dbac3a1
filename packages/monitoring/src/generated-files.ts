import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { stringify } from 'yaml';
import type { Alert } from './alerts/alert.ts';
import { managementAlerts } from './alerts/management-alerts.ts';
import { proxyAlerts } from './alerts/proxy-alerts.ts';
import { writerAlerts } from './alerts/writer-alerts.ts';
import { agentsDashboard } from './dashboards/agents-dashboard.ts';
import { budgetsDashboard } from './dashboards/budgets-dashboard.ts';
import { overviewDashboard } from './dashboards/overview-dashboard.ts';
import { recordingDashboard } from './dashboards/recording-dashboard.ts';
import { sessionsDashboard } from './dashboards/sessions-dashboard.ts';

/** By the name of the file that Grafana loads. */
export const dashboards: Record<string, Dashboard> = {
  overview: overviewDashboard,
  agents: agentsDashboard,
  sessions: sessionsDashboard,
  budgets: budgetsDashboard,
  recording: recordingDashboard,
};

/** By the service whose metrics they use. */
const alertGroups: Record<string, Alert[]> = {
  'agp-proxy': proxyAlerts,
  'agp-writer': writerAlerts,
  'agp-management': managementAlerts,
};

export const alerts: Alert[] = Object.values(alertGroups).flat();

/** The page of an alert, from the root of the repository: `AgpOutboxFilling` has `docs/runbooks/agp-outbox-filling.md`. */
export function runbookPage(alertName: string): string {
  return `docs/runbooks/${alertName.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase()}.md`;
}

const toRule = ({ name, expression, condition, lasts, severity, summary }: Alert) => ({
  alert: name,
  expr: `(${expression}) ${condition}`,
  ...(lasts === '0m' ? {} : { for: lasts }),
  labels: { severity },
  annotations: { summary, runbook: runbookPage(name) },
});

/** The alerts in the form of a Prometheus rules file. */
export function renderAlerts(): object {
  return { groups: Object.entries(alertGroups).map(([name, alerts]) => ({ name, rules: alerts.map(toRule) })) };
}

/** Where one service's ops ports are. `pods` is the value of their label `app.kubernetes.io/name`. */
export type Targets = { dns: string; port: number } | { pods: string } | { addresses: string[] };

/** The services by their names in compose, which resolve to every replica. */
const byName: Record<string, Targets> = {
  'agp-proxy': { dns: 'proxy', port: 9080 },
  'agp-management': { dns: 'management', port: 9081 },
  'agp-writer': { dns: 'writer', port: 9082 },
};

/** In Kubernetes a name resolves to one address of the service, so every pod is scraped at its port `ops`. */
export const inKubernetes: Record<string, Targets> = {
  'agp-proxy': { pods: 'proxy' },
  'agp-management': { pods: 'management' },
  'agp-writer': { pods: 'writer' },
};

function toScrape(job: string, targets: Targets): object {
  if ('pods' in targets) {
    return {
      job_name: job,
      // Of every namespace, since nobody else knows what an installation's is called.
      kubernetes_sd_configs: [{ role: 'pod' }],
      relabel_configs: [
        {
          source_labels: [
            '__meta_kubernetes_pod_label_app_kubernetes_io_part_of',
            '__meta_kubernetes_pod_label_app_kubernetes_io_name',
            '__meta_kubernetes_pod_container_port_name',
          ],
          regex: `agent-governance-proxy;${targets.pods};ops`,
          action: 'keep',
        },
        // An evicted pod stays in the list until somebody deletes it.
        { source_labels: ['__meta_kubernetes_pod_phase'], regex: 'Failed|Succeeded', action: 'drop' },
        { source_labels: ['__meta_kubernetes_pod_name'], target_label: 'instance' },
        // By which alerts tell installations from each other; the Prometheus operator adds it by itself.
        { source_labels: ['__meta_kubernetes_namespace'], target_label: 'namespace' },
      ],
    };
  }
  if ('addresses' in targets) return { job_name: job, static_configs: [{ targets: targets.addresses }] };
  return {
    job_name: job,
    dns_sd_configs: [{ names: [targets.dns], type: 'A', port: targets.port, refresh_interval: '15s' }],
  };
}

/** Prometheus' configuration: targets, interval and rule files. */
export function renderPrometheusConfig(
  jobs: Record<string, Targets> = byName,
  { every = '15s', rules = '/etc/prometheus/alerts.yml' } = {},
): object {
  return {
    global: { scrape_interval: every, evaluation_interval: every },
    rule_files: [rules],
    scrape_configs: Object.entries(jobs).map(([job, targets]) => toScrape(job, targets)),
  };
}

const notice = '# Made by "npm run generate": change its code, not this file.\n';
const toYaml = (value: object) => notice + stringify(value, { lineWidth: 0 });

/** Every generated file, with its path within the package. */
export function listGeneratedFiles(): { path: string; text: string }[] {
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'agp-alerts' },
    spec: renderAlerts(),
  };
  return [
    ...Object.entries(dashboards).map(([name, dashboard]) => ({
      path: `grafana/dashboards/${name}.json`,
      text: `${JSON.stringify(dashboard, null, 2)}\n`,
    })),
    { path: 'prometheus/alerts.yml', text: toYaml(renderAlerts()) },
    { path: 'prometheus/prometheus.yml', text: toYaml(renderPrometheusConfig()) },
    { path: 'prometheus/prometheus-kubernetes.yml', text: toYaml(renderPrometheusConfig(inKubernetes)) },
    { path: 'prometheus-operator/prometheus-rule.yaml', text: toYaml(rule) },
  ];
}
