import type { Query } from './query.ts';

/** What every kind of panel is made from. */
export interface PanelOptions {
  title: string;
  /** What the figures count, and what they leave out. */
  description: string;
  queries: Query[];
  /** Of Grafana's 24 columns. */
  width: number;
  /** In Grafana's rows of 30 pixels. */
  height?: number;
  /** A unit of Grafana's: `short`, `currencyUSD`, `percentunit`, `s`, `reqps`, `bytes`, ... */
  unit?: string;
  /** Where a value becomes a warning and an alarm; larger is worse. */
  warnAt?: number;
  alarmAt?: number;
}
