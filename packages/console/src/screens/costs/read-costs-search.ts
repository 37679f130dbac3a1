import { compact, type RawSearch, readChoice, readText } from '../../search/read-search.ts';
import { isTime } from '../../search/time-spans.ts';

export const costViews = ['usage', 'unpriced', 'doubtful', 'unrecorded'] as const;
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

/** Which costs are shown: stands in the address. */
export interface CostsSearch {
  /** `usage` where it is absent. */
  view?: (typeof costViews)[number] | undefined;
  /** One or two of {@link costGroups} with a comma between them; `model` where it is absent. */
  by?: string | undefined;
  /** The last 7 days where neither is there. */
  from?: string | undefined;
  to?: string | undefined;
  agent_id?: string | undefined;
}

export function readCostsSearch(raw: RawSearch): CostsSearch {
  const [from, to, by] = [readText(raw, 'from'), readText(raw, 'to'), readText(raw, 'by')];
  return compact({
    view: readChoice(raw, 'view', costViews),
    by: by === undefined ? undefined : listGroups(by).join(','),
    from: from !== undefined && isTime(from) ? from : undefined,
    to: to !== undefined && isTime(to) ? to : undefined,
    agent_id: readText(raw, 'agent_id'),
  });
}
