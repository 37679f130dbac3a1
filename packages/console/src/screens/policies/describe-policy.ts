import type { Team } from '@agp/core/contracts';
import type { Policy } from '@agp/policy';

export const hasEnded = ({ until }: Policy, now = Date.now()): boolean =>
  until !== undefined && Date.parse(until) <= now;

/** What `team=sales` and its like say, by label; null if one says nothing. */
export function groupLabels(texts: readonly string[]): Record<string, string[]> | null {
  const pairs = texts.map((each) => each.split(/=(.*)/s).map((side) => side.trim()));
  const byLabel = Map.groupBy(pairs, ([label = '']) => label);
  if (pairs.some(([label, value]) => !label || !value)) return null;
  return Object.fromEntries([...byLabel].map(([label, each]) => [label, each.map(([, value = '']) => value)]));
}

/** Labels as `team=sales`. */
export const toPairs = (labels: Readonly<Record<string, string[]>>): string[] =>
  Object.entries(labels).flatMap(([label, values]) => values.map((value) => `${label}=${value}`));

/** The labels that choose just a team's agents. */
export const toSelector = (team: Team): Record<string, string[]> =>
  Object.fromEntries(Object.entries(team).map(([label, value]) => [label, [value]]));
