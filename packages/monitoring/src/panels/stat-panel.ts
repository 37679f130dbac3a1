import { BigValueColorMode, BigValueGraphMode, ReduceDataOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { dressPanel } from './dress-panel.ts';
import type { PanelOptions } from './panel-options.ts';

/** One figure, or a few, in large digits. */
export function statPanel(options: PanelOptions): PanelBuilder {
  return dressPanel(new PanelBuilder(), options, 4)
    .graphMode(BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields(''));
}
