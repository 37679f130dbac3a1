import type { Target } from '@agp/alerts';
import { writeJson } from '../../presenters.ts';
import type { AlertMessage } from './message.ts';
import type { Post } from './post.ts';

/** How long an alert lasts there if nobody tells of it again, and how long it is told of at least, in milliseconds. */
export const lastingMs = 300_000;

function writeAlert({ alert, subject, link, first, rest }: AlertMessage, now: number) {
  const { rule, kind, severity, id, agent_id, opened_at, resolved_at } = alert;
  // What is over at once, such as a notice, would never be told: Alertmanager waits before it tells.
  const end = resolved_at === null ? now : Math.max(Date.parse(resolved_at) - lastingMs, Date.parse(opened_at));
  return {
    // What may change while it is open is no label: Alertmanager would take it for another alert.
    labels: { alertname: rule, kind, severity, subject, alert_id: id },
    annotations: { summary: first, description: rest.join('\n'), ...(agent_id !== null && { agent_id }) },
    startsAt: opened_at,
    endsAt: new Date(end + lastingMs),
    ...(link !== null && { generatorURL: link }),
  };
}

/** To each replica, since these tell each other of silences and not of alerts. */
export function writeAlertmanager(
  { urls, authorization }: Target<'alertmanager'>,
  messages: readonly AlertMessage[],
): Post[] {
  const body = writeJson(messages.map((each) => writeAlert(each, Date.now())));
  const headers = authorization === undefined ? {} : { authorization };
  return urls.map((url) => ({ url: `${url.replace(/\/+$/, '')}/api/v2/alerts`, headers, body }));
}
