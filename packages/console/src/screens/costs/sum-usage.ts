import type { components } from '../../api/schema.d.ts';
import type { CostGroup } from './read-costs-search.ts';

export type UsageEntry = components['schemas']['CostUsageEntry'];

/** All that one agent, model, provider or tag used in a range of time. */
export interface UsageSum {
  /** An id, a model, a provider or a tag. */
  key: string;
  name: string;
  cost: number;
  promptTokens: number;
  completionTokens: number;
  requests: number;
}

/** What an entry is summed by. */
export function readGroup(entry: UsageEntry, by: CostGroup): { key: string; name: string } {
  if (by === 'agent') return { key: entry.agent_id ?? '', name: entry.agent_name || entry.agent_id || 'not known' };
  const value = { model: entry.model, provider: entry.provider, tag: entry.compliance_tag }[by] ?? '';
  return { key: value, name: value || 'none' };
}

/** Sums of days put together, the dearest first. */
export function sumUsage(entries: readonly UsageEntry[], by: CostGroup): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const entry of entries) {
    const { key, name } = readGroup(entry, by);
    const sum = sums.get(key) ?? { key, name, cost: 0, promptTokens: 0, completionTokens: 0, requests: 0 };
    sums.set(key, sum);
    sum.cost += entry.total_cost_usd;
    sum.promptTokens += entry.total_prompt_tokens;
    sum.completionTokens += entry.total_completion_tokens;
    sum.requests += entry.request_count;
  }
  return [...sums.values()].toSorted((a, b) => b.cost - a.cost || b.requests - a.requests);
}
