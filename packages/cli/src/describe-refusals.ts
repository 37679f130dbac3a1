import { agentEventListSchema, agentListSchema, claimedNameListSchema } from '@agp/core/contracts';
import { toLineText } from '@agp/core/text';
import type { Api } from './connect-api.ts';
import { formatCount, formatTime } from './format/format-values.ts';
import { writeQuery } from './write-query.ts';

const dayMs = 86_400_000;
/** Requests that are counted: whether there are more makes no difference. */
const mostCounted = 1_000;

/**
 * The requests that a first token for a name will refuse: those that use the name without one.
 *
 * @returns a sentence; null where the name needs a token already, or had no request for a day
 */
export async function describeRefusals(api: Api, name: string): Promise<string | null> {
  const agents = await api.get('/api/v1/agents', agentListSchema);
  const agent = agents.data.find((each) => each.name === name);
  if (agent === undefined) return null;
  const claimed = await api.get('/api/v1/claimed-names', claimedNameListSchema);
  if (claimed.data.some((each) => each.name === name)) return null;
  const from = new Date(agents.answeredAt - dayMs).toISOString();
  const path = writeQuery(`/api/v1/agents/${agent.id}/events`, { from, limit: mostCounted });
  const { data: events, next } = await api.get(path, agentEventListSchema);
  const [latest] = events;
  if (latest === undefined) return null;
  const count = `${formatCount(events.length)}${next === null ? '' : ' or more'} ${events.length === 1 ? 'request' : 'requests'}`;
  return (
    `${toLineText(name)} made ${count} without a token in the last 24 hours, the latest at ${formatTime(latest.timestamp)} ` +
    `from ${toLineText(agent.source_ip)}. From its first token on, each request in this name without a token gets 401.`
  );
}
