import { compact, type RawSearch, readText } from '../../search/read-search.ts';
import { isTime } from '../../search/time-spans.ts';

/** Which sessions are shown: stands in the address. */
export interface SessionsSearch {
  agent_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
}

export function readSessionsSearch(raw: RawSearch): SessionsSearch {
  const [from, to] = [readText(raw, 'from'), readText(raw, 'to')];
  return compact({
    agent_id: readText(raw, 'agent_id'),
    from: from !== undefined && isTime(from) ? from : undefined,
    to: to !== undefined && isTime(to) ? to : undefined,
    cursor: readText(raw, 'cursor'),
  });
}
