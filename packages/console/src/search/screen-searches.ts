// What stands in each screen's address. Filters have the names that the API gives them.
import { readChoice, readFlag, readPageNumber, readSearch, readText, readTime, windows } from './search.ts';

export const readAgentsSearch = readSearch({
  search: readText,
  label: readText,
  status: readChoice(['active', 'blocked', 'retired']),
  order: readChoice(['cost', 'seen', 'name', 'created']),
  page: readPageNumber,
});

export const readAuditSearch = readSearch({
  agent_id: readText,
  policy_id: readText,
  action: readText,
  from: readTime,
  to: readTime,
  page: readPageNumber,
});

export const readBudgetsSearch = readSearch({ search: readText, capped: readFlag, page: readPageNumber });

export const costViews = ['usage', 'prices', 'unpriced', 'doubtful', 'unrecorded'] as const;
export const costGroups = ['model', 'agent', 'provider', 'tag'] as const;
export type CostGroup = (typeof costGroups)[number];

const mostGroups = 2;
const isGroup = (name: string): name is CostGroup => (costGroups as readonly string[]).includes(name);

/** One or two groups as they stand in an address, `tag,model`; by model for anything else. */
export function listGroups(by: string | undefined): CostGroup[] {
  const names = by?.split(',', mostGroups + 1) ?? [];
  const isKnown = names.every(isGroup) && new Set(names).size === names.length;
  return isKnown && names.length > 0 && names.length <= mostGroups ? (names as CostGroup[]) : ['model'];
}

export const readCostsSearch = readSearch({
  view: readChoice(costViews),
  search: readText,
  by: (raw) => {
    const by = readText(raw);
    return by === undefined ? undefined : listGroups(by).join(',');
  },
  from: readTime,
  to: readTime,
  agent_id: readText,
});
export type CostsSearch = ReturnType<typeof readCostsSearch>;

export const readEventsSearch = readSearch({
  agent_id: readText,
  session_id: readText,
  model: readText,
  provider: readText,
  compliance_tag: readText,
  pii_type: readText,
  request_id: readText,
  outcome: readChoice(['completed', 'failed', 'aborted', 'killed']),
  failed: readFlag,
  from: readTime,
  to: readTime,
  cursor: readText,
});
export type EventsSearch = ReturnType<typeof readEventsSearch>;

export const readFindSearch = readSearch({ id: readText });

export const keyViews = ['keys', 'tokens', 'names'] as const;
export const readKeysSearch = readSearch({ view: readChoice(keyViews) });

export const readLiveSearch = readSearch({
  agent_id: readText,
  session_id: readText,
  text: readText,
  pii: readFlag,
  failed: readFlag,
});
export type LiveSearch = ReturnType<typeof readLiveSearch>;

const readWindow = readChoice(windows.map(({ value }) => value));
export const readNowSearch = readSearch({ from: readWindow, by: readChoice(['agent', 'model', 'provider']) });
export const readProvidersSearch = readSearch({ from: readWindow });

export const readRefusalsSearch = readSearch({
  agent_id: readText,
  provider: readText,
  reason: readText,
  request_id: readText,
  from: readTime,
  cursor: readText,
});

export const readSessionsSearch = readSearch({ agent_id: readText, from: readTime, to: readTime, cursor: readText });
