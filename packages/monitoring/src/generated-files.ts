import { stringify } from 'yaml';
import { dashboards } from './dashboards/index.ts';
import { renderAlerts } from './render-alerts.ts';
import { inKubernetes, renderPrometheusConfig } from './render-prometheus-config.ts';

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
