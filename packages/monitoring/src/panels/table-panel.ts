import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { dressPanel } from './dress-panel.ts';
import type { PanelOptions } from './panel-options.ts';

/** An agent's name leads to its sessions; it is encoded, since any caller may choose it. */
export const sessionsOfAgent = {
  title: 'Sessions of this agent',
  url: `/d/agp-sessions?\${__url_time_range}&var-agent=\${__value.raw:percentencode}`,
};

/** The query's rows. `units` are those of single columns, by name, and `withoutValues` what stands in them for null. */
export function tablePanel(
  options: PanelOptions & { units?: Record<string, string>; withoutValues?: Record<string, string> },
): PanelBuilder {
  const panel = dressPanel(new PanelBuilder(), options, 9).filterable(true);
  for (const [column, unit] of Object.entries(options.units ?? {}))
    panel.overrideByName(column, [{ id: 'unit', value: unit }]);
  for (const [column, text] of Object.entries(options.withoutValues ?? {}))
    panel.overrideByName(column, [{ id: 'noValue', value: text }]);
  const hasAgents = options.queries.some((query) => 'sql' in query && query.sql.includes('agent_name AS "Agent"'));
  return hasAgents ? panel.overrideByName('Agent', [{ id: 'links', value: [sessionsOfAgent] }]) : panel;
}
