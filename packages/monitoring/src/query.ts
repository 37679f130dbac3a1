import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';

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
export function buildQuery(query: Query, place: number): Builder<Dataquery> {
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
