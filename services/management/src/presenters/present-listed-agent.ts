import type { ListedAgent } from '@agp/core/contracts';
import { uuidTime } from '@agp/core/ids';
import type { ListedAgentRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** An agent in a list: when it was last seen stands in the id of its last event. */
export function presentListedAgent({ last_event_id: last, ...row }: ListedAgentRow): ListedAgent {
  const seen = last === undefined ? {} : { last_seen_at: last && new Date(uuidTime(last)).toISOString() };
  return { ...presentRow(row, 'agt'), ...seen };
}
