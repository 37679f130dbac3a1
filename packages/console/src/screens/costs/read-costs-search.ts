import { compact, type RawSearch, readChoice, readText } from '../../search/read-search.ts';
import { isTime } from '../../search/time-spans.ts';

export const costViews = ['usage', 'unpriced', 'doubtful', 'unrecorded'] as const;
export const costGroups = ['model', 'agent', 'provider', 'tag'] as const;

export type CostGroup = (typeof costGroups)[number];

/** Which costs are shown: stands in the address. */
export interface CostsSearch {
  /** `usage` where it is absent. */
  view?: (typeof costViews)[number] | undefined;
  /** `model` where it is absent. */
  by?: CostGroup | undefined;
  /** The last 7 days where it is absent. */
  from?: string | undefined;
  to?: string | undefined;
  agent_id?: string | undefined;
}

export function readCostsSearch(raw: RawSearch): CostsSearch {
  const [from, to] = [readText(raw, 'from'), readText(raw, 'to')];
  return compact({
    view: readChoice(raw, 'view', costViews),
    by: readChoice(raw, 'by', costGroups),
    from: from !== undefined && isTime(from) ? from : undefined,
    to: to !== undefined && isTime(to) ? to : undefined,
    agent_id: readText(raw, 'agent_id'),
  });
}
