import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type Panel,
  QueryVariableBuilder,
  RowBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { alertAnnotations, postgres, prometheus } from '../panels.ts';

/** Panels under a heading. */
export interface Row {
  title: string;
  panels: Builder<Panel>[];
}

interface DashboardOptions {
  /** Never changes: links and bookmarks contain it. */
  uid: string;
  title: string;
  description: string;
  /** Start of the time range that it opens with: `now-24h`. */
  from: string;
  variables?: Builder<VariableModel>[];
  rows: Row[];
}

/** In UTC, since days are UTC days, and with links to the other dashboards. */
export function makeDashboard(options: DashboardOptions): Dashboard {
  const dashboard = new DashboardBuilder(options.title)
    .uid(options.uid)
    .description(options.description)
    .tags(['agp'])
    .timezone('utc')
    .time({ from: options.from, to: 'now' })
    .refresh('1m')
    .tooltip(DashboardCursorSync.Crosshair)
    .annotation(alertAnnotations)
    .link(
      new DashboardLinkBuilder('Agent Governance Proxy')
        .type(DashboardLinkType.Dashboards)
        .tags(['agp'])
        .asDropdown(true)
        .includeVars(false)
        .keepTime(true),
    );
  for (const variable of options.variables ?? []) dashboard.withVariable(variable);
  for (const { title, panels } of options.rows) {
    dashboard.withRow(new RowBuilder(title));
    for (const panel of panels) dashboard.withPanel(panel);
  }
  const built = dashboard.build();
  // Links to a panel contain its id, which the SDK does not set.
  for (const [place, panel] of (built.panels ?? []).entries()) panel.id = place + 1;
  return built;
}

/** A choice of agents by name; `All` is `*` and not a list of all, which could be long. */
export function agentVariable(view: 'agents' | 'active_agents'): QueryVariableBuilder {
  return choice('agent', 'Agent')
    .datasource(postgres)
    .query(`SELECT agent_name FROM reporting.${view} ORDER BY agent_name`)
    .allValue("'*'");
}

/** A choice of the providers that proxies have forwarded to. */
export function providerVariable(): QueryVariableBuilder {
  return choice('provider', 'Provider')
    .datasource(prometheus)
    .query('label_values(agp_proxy_requests_total, provider)')
    .allValue('.*');
}

function choice(name: string, label: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label)
    .multi(true)
    .includeAll(true)
    .current({ selected: true, text: ['All'], value: ['$__all'] })
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc);
}

/*
 * Filters for the dashboard's time range. The usage table has a row a day, and events are partitioned by id: a filter on a computed time
 * could use neither.
 */

/** UTC days that overlap the dashboard's time range. */
export const inDays = 'day BETWEEN $__timeFrom()::date AND $__timeTo()::date';

/** Usage on the days of the time range, a row for each agent and model: adding these up takes half as long as telling them apart in each sum. */
export const usageByAgentAndModel =
  '(\n  SELECT agent_name, agent_status, model, sum(request_count) AS requests, sum(total_tokens) AS tokens, sum(cost_usd) AS cost\n' +
  `  FROM reporting.daily_usage WHERE ${inDays} GROUP BY agent_name, agent_status, model\n) AS of_models`;

/** True for the agents chosen in the variable `agent`; for all with `All`. */
export const ofChosenAgents = `('*' IN (\${agent:sqlstring}) OR agent_name IN (\${agent:sqlstring}))`;

/** UTC hours that overlap the dashboard's time range. */
export const inHours = `hour BETWEEN date_trunc('hour', $__timeFrom()::timestamptz, 'UTC') AND $__timeTo()`;

/** The panel's interval that a time lies in. Grafana's macro computes with decimals: over a million rows that takes as long as all the rest. */
export const intervalOf = (column: string) => `date_bin('$__interval', ${column}, timestamptz '1970-01-01 00:00Z')`;
