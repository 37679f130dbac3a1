import { PanelBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import { BarGaugeDisplayMode, ReduceDataOptionsBuilder, VizOrientation } from '@grafana/grafana-foundation-sdk/common';
import { dressPanel } from './dress-panel.ts';
import type { PanelOptions } from './panel-options.ts';

/** A bar for each row: the text column is its name, the number its length. */
export function barGaugePanel(options: PanelOptions & { max?: number }): PanelBuilder {
  const panel = dressPanel(new PanelBuilder(), options, 9)
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .min(0)
    .reduceOptions(new ReduceDataOptionsBuilder().values(true).calcs([]).fields(''));
  return options.max === undefined ? panel : panel.max(options.max);
}
