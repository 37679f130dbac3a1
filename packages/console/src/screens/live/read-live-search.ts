import { compact, type RawSearch, readText } from '../../search/read-search.ts';

/** Which events the tail shows: stands in the address. */
export interface LiveSearch {
  agent_id?: string | undefined;
  session_id?: string | undefined;
  /** Text that the model, the agent's name or the tag has in it. */
  text?: string | undefined;
  /** Only with personal data. */
  pii?: true | undefined;
}

export function readLiveSearch(raw: RawSearch): LiveSearch {
  return compact({
    agent_id: readText(raw, 'agent_id'),
    session_id: readText(raw, 'session_id'),
    text: readText(raw, 'text'),
    pii: readText(raw, 'pii') === 'true' ? (true as const) : undefined,
  });
}
