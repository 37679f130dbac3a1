import type { Preview } from './contract.ts';
import { isModelListed } from './model-names.ts';
import { isListed } from './names.ts';
import { listNamed, type RecordedCall } from './rules.ts';
import type { Policy, Selector } from './schema.ts';

/** Different names of a kind that are kept: with more of them none is said to be unseen. */
const maxSeen = 1_000;
/** Names of policies that are looked for, and those that are told. */
const maxLooked = 2_000;
const maxTold = 100;

type Kind = 'agents' | 'labels' | 'providers' | 'models' | 'tools';
type Named = [kind: Kind, rule: string, names: readonly string[] | undefined];

/** Names that recorded requests had. */
export class SeenNames {
  readonly #seen: Record<Kind, Set<string>> = {
    ...{ agents: new Set(), labels: new Set(), providers: new Set() },
    ...{ models: new Set(), tools: new Set() },
  };

  add({ agent_name: agent, labels, provider, model, asked, tools }: RecordedCall): void {
    const names: Record<Kind, readonly string[]> = {
      ...{ agents: [agent], labels: Object.entries(labels).map((each) => each.join('=')), providers: [provider] },
      models: [model, ...(asked?.models ?? [])],
      tools: [...(tools?.declared ?? []), ...(tools?.called ?? [])].flatMap((tool) => tool.names),
    };
    for (const kind of Object.keys(names) as Kind[])
      for (const name of names[kind]) if (this.#seen[kind].size <= maxSeen) this.#seen[kind].add(name);
  }

  /** What policies name that was never seen; a name a step. */
  *listUnseen(policies: readonly Policy[]): Generator<undefined, Preview['unseen']> {
    const told: Preview['unseen'] = [];
    const all = policies.flatMap((policy) =>
      listNames(policy).flatMap(([kind, rule, names = []]) =>
        [...new Set(names)].map((name) => ({ kind, policy: policy.name, rule, name })),
      ),
    );
    for (const { kind, ...each } of all.slice(0, maxLooked)) {
      const [seen, pattern] = [this.#seen[kind], [each.name]];
      const isOf = kind === 'models' ? isModelListed : isListed;
      if (told.length < maxTold && seen.size <= maxSeen && !seen.values().some((name) => isOf(pattern, name)))
        told.push(each);
      yield;
    }
    return told;
  }
}

const listSelected = ({ agents, labels = {}, providers }: Selector): Named[] => [
  ['agents', 'match', agents],
  ['labels', 'match', Object.entries(labels).flatMap(([label, values]) => values.map((value) => `${label}=${value}`))],
  ['providers', 'match', providers],
];

function listNames(policy: Policy): Named[] {
  const { match, exceptions = [], tools } = policy;
  const { hosts = [], connectors = [], tunnels = [] } = tools?.remote_mcp ?? {};
  const selectors = [match, match.not ?? {}, ...exceptions.map((each) => each.match)];
  const named = listNamed(policy).filter(([rule]) => rule !== 'operations');
  return [
    ...selectors.flatMap(listSelected),
    ...named.map(([rule, { allow = [], deny = [] }]): Named => {
      const kind = rule === 'models' || rule === 'providers' ? rule : 'tools';
      return [kind, rule, [...allow, ...deny]];
    }),
    ['tools', 'tools.remote_mcp', [...hosts, ...connectors, ...tunnels]],
  ];
}
