import type { Target } from '@agp/alerts';
import type { AlertMessage } from './message.ts';
import type { Post } from './post.ts';

export const pagerdutyOrigins = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' };

const longestSummary = 1_024;

/** Events API v2. A test opens an alert without urgency, and ends it at once. */
export function writePagerduty(
  { routing_key, region }: Target<'pagerduty'>,
  { occasion, alert, at, link, links, first, rest }: AlertMessage,
  origins = pagerdutyOrigins,
): Post[] {
  const trigger = {
    event_action: 'trigger',
    payload: {
      ...{ summary: first.slice(0, longestSummary), timestamp: at, severity: alert.severity },
      ...{ source: 'agent-governance-proxy', class: alert.kind, group: alert.rule },
      custom_details: { details: rest.join('\n') },
    },
    client: 'Agent Governance Proxy',
    ...(link !== null && { client_url: link, links: links.map(({ title, url }) => ({ href: url, text: title })) }),
  };
  const resolve = { event_action: 'resolve' };
  const events = { opened: [trigger], resolved: [resolve], test: [trigger, resolve] }[occasion];
  const url = `${origins[region]}/v2/enqueue`;
  return events.map((event) => ({ url, body: JSON.stringify({ routing_key, dedup_key: alert.id, ...event }) }));
}
