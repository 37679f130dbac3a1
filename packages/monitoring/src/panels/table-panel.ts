import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { dressPanel } from './dress-panel.ts';
import type { PanelOptions } from './panel-options.ts';

/** The query's rows. `units` are those of single columns, by name. */
export function tablePanel(options: PanelOptions & { units?: Record<string, string> }): PanelBuilder {
  const panel = dressPanel(new PanelBuilder(), options, 9).filterable(true);
  for (const [column, unit] of Object.entries(options.units ?? {}))
    panel.overrideByName(column, [{ id: 'unit', value: unit }]);
  return panel;
}
