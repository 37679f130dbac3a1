import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { agentsDashboard } from './agents-dashboard.ts';
import { budgetsDashboard } from './budgets-dashboard.ts';
import { overviewDashboard } from './overview-dashboard.ts';
import { recordingDashboard } from './recording-dashboard.ts';
import { sessionsDashboard } from './sessions-dashboard.ts';

/** By the name of the file that Grafana loads. */
export const dashboards: Record<string, Dashboard> = {
  overview: overviewDashboard,
  agents: agentsDashboard,
  sessions: sessionsDashboard,
  budgets: budgetsDashboard,
  recording: recordingDashboard,
};
