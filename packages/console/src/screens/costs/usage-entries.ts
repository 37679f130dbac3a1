import { type CostUsageEntry, labelOf } from '@agp/core/contracts';
import { utcDay } from '../../format/format.ts';
import type { CostGroup } from '../../search/screen-searches.ts';
import { findDay, isDay } from '../../search/search.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The first UTC day of a span that ends with today: `7d` are today and the six days before it, so that bars are whole days and as many as
 * the span says.
 */
export function findFirstDay(span: string, now = Date.now()): string {
  const [, days] = /^(\d+)d$/.exec(span) ?? [];
  return days === undefined ? findDay(span, now) : utcDay(now - (Number(days) - 1) * dayMs);
}

/**
 * The time before a range of days that is as long, in whole days: of one that goes on, up to the same hour of its last day, so that like is
 * compared with like. Null if the range has no first day.
 */
export function findBefore({ from, to }: { from?: string | undefined; to?: string | undefined }, now = Date.now()) {
  const last = to === undefined ? Math.ceil(now / hourMs) * hourMs : Date.parse(to);
  const days = Math.ceil((last - Date.parse(from ?? '')) / dayMs);
  if (from === undefined || !isDay(from) || !(days > 0)) return null;
  const before = (time: number) => new Date(time - days * dayMs).toISOString();
  return { days, range: { from: before(Date.parse(from)), to: before(last) } };
}

/** Names of filters of events. */
export const filterNames = { agent: 'agent_id', model: 'model', provider: 'provider', tag: 'compliance_tag' } as const;

/** The value of one group: an id, a model, a provider, a tag or a label's value, and what it is called. */
export function readGroup(entry: CostUsageEntry, group: CostGroup): { key: string; name: string } {
  const label = labelOf(group);
  if (label !== null) return { key: entry.labels?.[label] ?? '', name: entry.labels?.[label] ?? `no ${label}` };
  if (group === 'agent') return { key: entry.agent_id ?? '', name: entry.agent_name || entry.agent_id || 'not known' };
  const value = entry[filterNames[group as 'model' | 'provider' | 'tag']] ?? '';
  return { key: value, name: value || 'none' };
}

/** What an entry is summed by, in words. */
export function nameEntry(entry: CostUsageEntry, groups: readonly CostGroup[]): string {
  return groups.map((group) => readGroup(entry, group).name).join(' · ');
}

/** What tells one sum from another: no two have the same. */
export function keyOf(entry: CostUsageEntry, groups: readonly CostGroup[]): string {
  return JSON.stringify(groups.map((group) => readGroup(entry, group).key));
}
