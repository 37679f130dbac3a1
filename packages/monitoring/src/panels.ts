import * as barGauge from '@grafana/grafana-foundation-sdk/bargauge';
import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import {
  AnnotationQueryBuilder,
  type ThresholdsConfig,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as time from '@grafana/grafana-foundation-sdk/timeseries';

/** The data sources of `grafana/provisioning/datasources`, which dashboards refer to by uid. */
export const postgres = { type: 'grafana-postgresql-datasource', uid: 'agp-postgres' } as const;
export const prometheus = { type: 'prometheus', uid: 'agp-prometheus' } as const;

/** A panel's query: SQL over the schema `reporting`, or PromQL. */
export type Query =
  /** `time` needs a column `time`, a number, and if there are several series their names as the column `metric`: Grafana puts others after the number's. */
  | { sql: string; as: 'table' | 'time' }
  /** `legend` may use labels: `{{instance}}`. `now` reads only the present value. */
  | { prom: string; legend: string; now?: boolean };

export const sqlTable = (sql: string): Query => ({ sql, as: 'table' });
export const sqlTime = (sql: string): Query => ({ sql, as: 'time' });
export const prom = (expression: string, legend: string): Query => ({ prom: expression, legend });
export const promNow = (expression: string, legend: string): Query => ({ prom: expression, legend, now: true });

/** A query as Grafana stores it; `place` is its number within the panel. */
function buildQuery(query: Query, place: number): Builder<Dataquery> {
  const refId = String.fromCharCode('A'.charCodeAt(0) + place);
  if ('sql' in query) {
    const format = query.as === 'time' ? 'time_series' : 'table';
    const target = { refId, datasource: postgres, format, rawQuery: true, editorMode: 'code', rawSql: query.sql };
    // The SDK has no builder for Postgres; the cast is for a marker method that exists only in its types.
    return { build: () => target as unknown as Dataquery };
  }
  const target = new DataqueryBuilder()
    .refId(refId)
    .datasource(prometheus)
    .expr(query.prom)
    .legendFormat(query.legend)
    // As a table the series would lose their names, and a panel of one figure all but the last.
    .format(PromQueryFormat.TimeSeries);
  return query.now ? target.instant() : target.range();
}

const plain = (column: string) => `replace(replace(${column}, '&', '&amp;'), '<', '&lt;')`;

/** What rules found, from when it came up until it was over; Grafana reads such texts as HTML. */
export const alertAnnotations = new AnnotationQueryBuilder()
  .name('Alerts')
  .datasource(postgres)
  .enable(true)
  .iconColor('orange')
  .target(
    buildQuery(
      sqlTable(
        `SELECT opened_at AS "time", coalesce(resolved_at, now()) AS "timeend",\n` +
          `  rule || ': ' || ${plain('title')} AS "text", severity AS "tags"\n` +
          'FROM reporting.alerts\n' +
          'WHERE opened_at <= $__timeTo() AND coalesce(resolved_at, now()) >= $__timeFrom()\n' +
          'ORDER BY opened_at DESC LIMIT 200',
      ),
      0,
    ),
  );

interface PanelOptions {
  title: string;
  /** Says what the figures count and omit. */
  description: string;
  queries: Query[];
  /** In columns; Grafana has 24. */
  width: number;
  /** In Grafana's rows of 30 pixels. */
  height?: number;
  /** A unit of Grafana's: `short`, `currencyUSD`, `percentunit`, `s`, `reqps`, `bytes`, ... */
  unit?: string;
  /** Shown if the query has a null or no row, in place of Grafana's "No data". */
  withoutValue?: string;
  /** Values from which on it is a warning or an alarm. */
  warnAt?: number;
  alarmAt?: number;
}

/** The methods that all panel builders of the SDK have. */
interface CommonBuilder {
  title(title: string): this;
  description(description: string): this;
  datasource(source: common.DataSourceRef): this;
  span(columns: number): this;
  height(rows: number): this;
  unit(unit: string): this;
  noValue(text: string): this;
  withTarget(target: Builder<Dataquery>): this;
  thresholds(thresholds: Builder<ThresholdsConfig>): this;
}

/** Sets the options that all kinds of panels have. */
function dressPanel<Panel extends CommonBuilder>(panel: Panel, options: PanelOptions, height: number): Panel {
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

export function statPanel(options: PanelOptions): stat.PanelBuilder {
  return dressPanel(new stat.PanelBuilder(), options, 4)
    .graphMode(common.BigValueGraphMode.None)
    .colorMode(common.BigValueColorMode.Value)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields(''));
}

/** A bar for each row: the text column is its name, the number its length. */
export function barGaugePanel(options: PanelOptions & { max?: number }): barGauge.PanelBuilder {
  const panel = dressPanel(new barGauge.PanelBuilder(), options, 9)
    .orientation(common.VizOrientation.Horizontal)
    .displayMode(common.BarGaugeDisplayMode.Basic)
    .min(0)
    .reduceOptions(new common.ReduceDataOptionsBuilder().values(true).calcs([]).fields(''));
  return options.max === undefined ? panel : panel.max(options.max);
}

/** An agent's name leads to its sessions; it is encoded, since any caller may choose it. */
export const sessionsOfAgent = {
  title: 'Sessions of this agent',
  url: `/d/agp-sessions?\${__url_time_range}&var-agent=\${__value.raw:percentencode}`,
};

/** The query's rows. `units` are those of single columns, by name, and `withoutValues` what stands in them for null. */
export function tablePanel(
  options: PanelOptions & { units?: Record<string, string>; withoutValues?: Record<string, string> },
): table.PanelBuilder {
  const panel = dressPanel(new table.PanelBuilder(), options, 9).filterable(true);
  for (const [column, unit] of Object.entries(options.units ?? {}))
    panel.overrideByName(column, [{ id: 'unit', value: unit }]);
  for (const [column, text] of Object.entries(options.withoutValues ?? {}))
    panel.overrideByName(column, [{ id: 'noValue', value: text }]);
  const hasAgents = options.queries.some((query) => 'sql' in query && query.sql.includes('agent_name AS "Agent"'));
  return hasAgents ? panel.overrideByName('Agent', [{ id: 'links', value: [sessionsOfAgent] }]) : panel;
}

/** Values over time: lines, or stacked bars for counts by day. */
export function timePanel(options: PanelOptions, style: 'lines' | 'bars' = 'lines'): time.PanelBuilder {
  const panel = dressPanel(new time.PanelBuilder(), options, 8)
    .min(0)
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.List)
        .placement(common.LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi));
  return style === 'lines'
    ? panel.drawStyle(common.GraphDrawStyle.Line).fillOpacity(10).showPoints(common.VisibilityMode.Auto)
    : panel
        .drawStyle(common.GraphDrawStyle.Bars)
        .fillOpacity(80)
        .stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group('A'));
}
