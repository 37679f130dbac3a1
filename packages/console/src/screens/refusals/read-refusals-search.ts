import { compact, type RawSearch, readText } from '../../search/read-search.ts';
import { isTime } from '../../search/time-spans.ts';

/** Which refused requests are shown: stands in the address. */
export interface RefusalsSearch {
  agent_id?: string | undefined;
  reason?: string | undefined;
  from?: string | undefined;
  cursor?: string | undefined;
}

export function readRefusalsSearch(raw: RawSearch): RefusalsSearch {
  const from = readText(raw, 'from');
  return compact({
    agent_id: readText(raw, 'agent_id'),
    reason: readText(raw, 'reason'),
    from: from !== undefined && isTime(from) ? from : undefined,
    cursor: readText(raw, 'cursor'),
  });
}
