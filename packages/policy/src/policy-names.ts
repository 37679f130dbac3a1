import { isListed, isModelListed } from '@agp/documents';
import type { Preview } from './contract.ts';
import type { RecordedCall } from './facts.ts';
import { familyOf, listNamed, type RuleName } from './rules.ts';
import type { Policy } from './schema.ts';

type SeenKind = 'agents' | 'labels' | 'providers' | 'models' | 'tools';
type NamedKind = SeenKind | RuleName;
type Listed = [kind: NamedKind, rule: string, names: readonly string[]];

const listPairs = (labels: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(labels).flatMap(([label, values]) => values.map((value) => `${label}=${value}`));

/** All that a policy names, by kind and by the rule that does, which may be `match`; a label as `team=x`. */
export function listPolicyNames(policy: Policy): { kind: NamedKind; rule: string; name: string }[] {
  const { match, exceptions = [], tools } = policy;
  const listed: Listed[] = [
    ...[match, match.not ?? {}, ...exceptions.map((each) => each.match)].flatMap((selector): Listed[] => [
      ['agents', 'match', selector.agents ?? []],
      ['labels', 'match', listPairs(selector.labels ?? {})],
      ['providers', 'match', selector.providers ?? []],
    ]),
    ...listNamed(policy).map(([rule, lists]): Listed => {
      return [familyOf(rule) === 'tools' ? 'tools' : rule, rule, [...(lists.allow ?? []), ...(lists.deny ?? [])]];
    }),
    ['tools', 'tools.remote_mcp', Object.values(tools?.remote_mcp ?? {}).flatMap((names) => names ?? [])],
  ];
  return listed.flatMap(([kind, rule, names]) => [...new Set(names)].map((name) => ({ kind, rule, name })));
}

/** Different names of a kind: with more of them none is said to be unseen. */
const maxSeen = 1_000;
/** Names of policies that are looked for, and those that are told. */
const [maxLooked, maxTold] = [2_000, 100];

/** Names that recorded requests had. */
export class SeenNames {
  readonly #seen = new Map<NamedKind, Set<string>>();

  add({ agent_name: agent, labels, provider, model, asked, tools }: RecordedCall): void {
    const names: Record<SeenKind, readonly string[]> = {
      ...{ agents: [agent], labels: Object.entries(labels).map((each) => each.join('=')), providers: [provider] },
      models: [model, ...(asked?.models ?? [])],
      tools: [...(tools?.declared ?? []), ...(tools?.called ?? [])].flatMap((tool) => tool.names),
    };
    for (const kind of Object.keys(names) as SeenKind[]) {
      const seen = this.#seen.get(kind) ?? new Set();
      this.#seen.set(kind, seen);
      for (const name of names[kind]) if (seen.size <= maxSeen) seen.add(name);
    }
  }

  /** What policies name that no request had; a name a step. */
  *listUnseen(policies: readonly Policy[]): Generator<undefined, Preview['unseen']> {
    const told: Preview['unseen'] = [];
    const all = policies.flatMap((each) => listPolicyNames(each).map((named) => ({ ...named, policy: each.name })));
    for (const { kind, ...each } of all.slice(0, maxLooked)) {
      const [seen, pattern] = [this.#seen.get(kind), [each.name]];
      const isOf = kind === 'models' ? isModelListed : isListed;
      const isTold = told.length === maxTold || !seen || seen.size > maxSeen;
      if (!isTold && !seen.values().some((name) => isOf(pattern, name))) told.push(each);
      yield;
    }
    return told;
  }
}
