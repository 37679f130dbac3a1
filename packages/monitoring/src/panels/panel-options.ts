import type { Query } from './query.ts';

/** Options of every kind of panel. */
export interface PanelOptions {
  title: string;
  /** Says what the figures count and omit. */
  description: string;
  queries: Query[];
  /** Of Grafana's 24 columns. */
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
