import type { Alert, Delivery, StoredRule, StoredTarget } from '@agp/alerts';
import { formatCount, formatDuration } from '@agp/core/explain';
import { describeMatch } from '@agp/documents';
import { expect } from 'vitest';
import { time } from './show-values.ts';

/** Times of a text as every screen has them. */
const withTimes = (text: string) =>
  text.replaceAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/g, (_, day, at) => time(`${day}T${at}:00.000Z`));

/** Mere notices last no time. */
function lasted(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 1_000 ? '' : `, after ${formatDuration(ms)}`;
}

export const showAlert = (alert: Alert) => ({
  Alert: `${alert.title} ${withTimes(alert.detail)}`.trim(),
  Severity: alert.severity,
  'Came up': time(alert.opened_at),
  State: [
    alert.state,
    alert.resolved_at && time(alert.resolved_at) + lasted(alert.opened_at, alert.resolved_at),
    alert.acknowledged_by && `by ${alert.acknowledged_by}`,
  ]
    .filter(Boolean)
    .join(' '),
  Rule: alert.rule,
});

export const showRule = ({ rule, open_count }: StoredRule) => ({
  Rule: `${rule.name}${rule.enabled ? '' : ' off'}`,
  'Tells of': rule.on.replaceAll('_', ' '),
  For: describeMatch(rule.match),
  To: rule.targets.join(', ') || 'the list alone',
  Severity: rule.severity,
  Open: formatCount(open_count),
});

export const showTarget = ({ target, waiting_count, dead_count, ...stored }: StoredTarget) => ({
  Target: target.name,
  Kind: target.kind,
  'Where to': target.kind === 'webhook' ? target.url : (expect.any(String) as string),
  State: [
    ...(stored.disabled ? ['disabled', stored.disabled.because] : []),
    ...(waiting_count > 0 ? [`${formatCount(waiting_count)} waiting`] : []),
    ...(dead_count > 0 ? [`${formatCount(dead_count)} given up`] : []),
    stored.last_error ?? '',
  ]
    .join(' ')
    .trim(),
});

export const showDelivery = ({ title, occasion, target, created_at, error }: Delivery) => ({
  ...{ Message: title, Says: occasion, To: target, From: time(created_at), Error: error ?? '' },
});
