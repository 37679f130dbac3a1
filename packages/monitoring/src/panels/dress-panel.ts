import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import {
  type ThresholdsConfig,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { postgres, prometheus } from '../data-sources.ts';
import type { PanelOptions } from './panel-options.ts';
import { buildQuery } from './query.ts';

/** The methods that all panel builders of the SDK have. */
interface CommonBuilder {
  title(title: string): this;
  description(description: string): this;
  datasource(source: DataSourceRef): this;
  span(columns: number): this;
  height(rows: number): this;
  unit(unit: string): this;
  noValue(text: string): this;
  withTarget(target: Builder<Dataquery>): this;
  thresholds(thresholds: Builder<ThresholdsConfig>): this;
}

/** Sets the options that all kinds of panels have. */
export function dressPanel<Panel extends CommonBuilder>(panel: Panel, options: PanelOptions, height: number): Panel {
  const [first] = options.queries;
  panel
    .title(options.title)
    .description(options.description)
    .datasource(first && 'sql' in first ? postgres : prometheus)
    .span(options.width)
    .height(options.height ?? height)
    .unit(options.unit ?? 'short')
    .thresholds(
      new ThresholdsConfigBuilder()
        .mode(ThresholdsMode.Absolute)
        .steps([
          { value: null, color: 'green' },
          ...(options.warnAt === undefined ? [] : [{ value: options.warnAt, color: 'orange' }]),
          ...(options.alarmAt === undefined ? [] : [{ value: options.alarmAt, color: 'red' }]),
        ]),
    );
  if (options.withoutValue !== undefined) panel.noValue(options.withoutValue);
  for (const [place, query] of options.queries.entries()) panel.withTarget(buildQuery(query, place));
  return panel;
}
