import {
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { dressPanel } from './dress-panel.ts';
import type { PanelOptions } from './panel-options.ts';

/** Values over time: lines, or stacked bars for counts by day. */
export function timePanel(options: PanelOptions, style: 'lines' | 'bars' = 'lines'): PanelBuilder {
  const panel = dressPanel(new PanelBuilder(), options, 8)
    .min(0)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi));
  return style === 'lines'
    ? panel.drawStyle(GraphDrawStyle.Line).fillOpacity(10).showPoints(VisibilityMode.Auto)
    : panel
        .drawStyle(GraphDrawStyle.Bars)
        .fillOpacity(80)
        .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
}
