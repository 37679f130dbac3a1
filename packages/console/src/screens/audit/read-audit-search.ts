import { compact, type RawSearch, readPageNumber, readText } from '../../search/read-search.ts';
import { isTime } from '../../search/time-spans.ts';

/** Which entries of the audit log are shown: stands in the address. */
export interface AuditSearch {
  agent_id?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  page?: number | undefined;
}

export function readAuditSearch(raw: RawSearch): AuditSearch {
  const [from, to] = [readText(raw, 'from'), readText(raw, 'to')];
  return compact({
    agent_id: readText(raw, 'agent_id'),
    action: readText(raw, 'action'),
    from: from !== undefined && isTime(from) ? from : undefined,
    to: to !== undefined && isTime(to) ? to : undefined,
    page: readPageNumber(raw),
  });
}
