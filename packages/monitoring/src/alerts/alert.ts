/**
 * `critical`: agents are refused, or events are being lost, now. `warning`: it will come to that, or something is missing
 * from the record. `info`: operators want to know.
 */
export type Severity = 'critical' | 'warning' | 'info';

/** A rule of Prometheus. What it measures and where it alarms are apart, so that the first can be tried without the second. */
export interface Alert {
  /** In PascalCase; its runbook is `docs/runbooks/<name in kebab-case>.md`. */
  name: string;
  /** PromQL; a series for each thing that can be wrong. */
  expression: string;
  /** When a value alarms. */
  condition: `${'>' | '<' | '>='} ${number}`;
  /** How long it must hold: `5m`. */
  lasts: string;
  severity: Severity;
  /** One line for whoever is woken; may hold Prometheus' `{{ $labels.instance }}` and `{{ $value }}`. */
  summary: string;
}
