/**
 * `critical`: agents are refused or events are lost now. `warning`: that will happen, or something is missing from the record. `info`:
 * worth knowing.
 */
export type PrometheusSeverity = 'critical' | 'warning' | 'info';

/** A rule of Prometheus. Expression and condition are separate, so that tests can evaluate the first alone. */
export interface Alert {
  /** In PascalCase; its runbook is `docs/runbooks/<name-in-kebab-case>.md`. */
  name: string;
  /** PromQL with a series for each thing that can be wrong. */
  expression: string;
  /** When a value alarms. */
  condition: `${'>' | '<' | '>='} ${number}`;
  /** How long it must hold: `5m`. */
  lasts: string;
  severity: PrometheusSeverity;
  /** One line for the person on call; may use Prometheus' `{{ $labels.instance }}` and `{{ $value }}`. */
  summary: string;
}
