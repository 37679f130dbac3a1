import { compact, type RawSearch, readChoice, readPageNumber, readText } from '../../search/read-search.ts';

export const agentOrders = ['cost', 'seen', 'name', 'created'] as const;
export const agentStatuses = ['active', 'blocked', 'retired'] as const;

/** What the screen of agents shows: stands in its address. */
export interface AgentsSearch {
  search?: string | undefined;
  status?: (typeof agentStatuses)[number] | undefined;
  /** By today's cost where it is absent. */
  order?: (typeof agentOrders)[number] | undefined;
  page?: number | undefined;
}

export function readAgentsSearch(raw: RawSearch): AgentsSearch {
  return compact({
    search: readText(raw, 'search'),
    status: readChoice(raw, 'status', agentStatuses),
    order: readChoice(raw, 'order', agentOrders),
    page: readPageNumber(raw),
  });
}
