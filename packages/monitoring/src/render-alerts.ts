import { type Alert, alertGroups } from './alerts/index.ts';
import { runbookPage } from './runbook-page.ts';

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
