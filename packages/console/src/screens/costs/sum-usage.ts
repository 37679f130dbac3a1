import { sumUsd } from '@agp/core/money';
import type { components } from '../../api/schema.d.ts';
import type { CostGroup } from '../../search/screen-searches.ts';

const dayMs = 86_400_000;

/**
 * The first UTC day of a span that ends with today: `7d` are today and the six days before it, so that bars are whole days and as many as
 * the span says.
 */
export function findFirstDay(span: string, now = Date.now()): string {
  const [, days] = /^(\d+)d$/.exec(span) ?? [];
  return days === undefined ? span : new Date(now - (Number(days) - 1) * dayMs).toISOString().slice(0, 10);
}

export type UsageEntry = components['schemas']['CostUsageEntry'];

/** A value of one group. */
export interface GroupValue {
  group: CostGroup;
  /** An id, a model, a provider or a tag. */
  key: string;
  name: string;
}

/** All that one agent, model, provider or tag used in a range of time, or one pair of them. */
export interface UsageSum {
  /** One for each group. */
  values: GroupValue[];
  cost: number;
  promptTokens: number;
  completionTokens: number;
  requests: number;
}

function readGroup(entry: UsageEntry, group: CostGroup): GroupValue {
  if (group === 'agent')
    return { group, key: entry.agent_id ?? '', name: entry.agent_name || entry.agent_id || 'not known' };
  const value = { model: entry.model, provider: entry.provider, tag: entry.compliance_tag }[group] ?? '';
  return { group, key: value, name: value || 'none' };
}

/** What an entry is summed by, in words. */
export function nameEntry(entry: UsageEntry, groups: readonly CostGroup[]): string {
  return groups.map((group) => readGroup(entry, group).name).join(' · ');
}

/** What tells one sum from another: no two have the same. */
export function keyOf({ values }: Pick<UsageSum, 'values'>): string {
  return JSON.stringify(values.map(({ key }) => key));
}

/** Sums of days put together, the dearest first. */
export function sumUsage(entries: readonly UsageEntry[], groups: readonly CostGroup[]): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const entry of entries) {
    const values = groups.map((group) => readGroup(entry, group));
    const key = keyOf({ values });
    const sum = sums.get(key) ?? { values, cost: 0, promptTokens: 0, completionTokens: 0, requests: 0 };
    sums.set(key, sum);
    sum.cost = sumUsd([sum.cost, entry.total_cost_usd]);
    sum.promptTokens += entry.total_prompt_tokens;
    sum.completionTokens += entry.total_completion_tokens;
    sum.requests += entry.request_count;
  }
  return [...sums.values()].toSorted((a, b) => b.cost - a.cost || b.requests - a.requests);
}
