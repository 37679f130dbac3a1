import type { SearchConfig } from '@agp/metering';
import {
  type CallHead,
  type DataAction,
  type Direction,
  findException,
  listDataPolicies,
  nameKind,
  ownKind,
  type Prepared,
  type RuleSet,
} from '@agp/policy';

/** What rules of data say of one direction of a call. */
export interface DataRules {
  policies: readonly Prepared[];
  config: SearchConfig;
  /** The strictest enforced action for a kind, and the policy that it is of. */
  decide(kind: string): { action: DataAction; by: Prepared } | undefined;
  /** The same for a kind as labels name it. */
  decideByName(name: string): DataAction | undefined;
  /** Some policy does more than observe. */
  isEnforced: boolean;
  /** Whether an enforced rule must be sure of every text. */
  needsAll: boolean;
}

const strictness: Readonly<Record<DataAction, number>> = { flag: 0, redact: 1, block: 2 };

/** Null if no policy has any for it. */
export function findDataRules(rules: RuleSet, head: CallHead, direction: Direction): DataRules | null {
  const restoring = direction === 'request' ? [] : listDataPolicies(rules, head, 'request').filter(restores);
  const policies = listDataPolicies(rules, head, direction);
  const decided = new Map<string, { action: DataAction; by: Prepared }>();
  const enforce = (rule: 'pii' | 'check') =>
    policies.filter(
      (each) =>
        each.policy.mode === 'enforce' &&
        each.policy[rule]?.[direction] &&
        findException(each, head, `${rule}.${direction}`) === null,
    );
  const [enforced, checking] = [enforce('pii'), enforce('check')];
  const isHeld = enforced.length + checking.length + restoring.length > 0;
  // What only observes answers reads what is recorded of them.
  if (direction === 'response' ? !isHeld : policies.length === 0) return null;
  for (const by of enforced)
    for (const [kind, action] of by.data[direction])
      if (strictness[action] > strictness[decided.get(kind)?.action ?? 'flag'] || !decided.has(kind))
        decided.set(kind, { action, by });
  return {
    policies,
    config: {
      kinds: [...new Set(policies.flatMap(({ data }) => [...data[direction].keys()]))],
      patterns: policies.flatMap(({ policy: { name, pii } }) =>
        (pii?.patterns ?? []).map(({ name: own, pattern, longest }) => ({
          kind: ownKind(name, own),
          pattern,
          longest,
        })),
      ),
      findsLabels: restoring.length > 0,
    },
    decide: (kind) => decided.get(kind),
    decideByName: (name) => [...decided].find(([kind]) => nameKind(kind) === name)?.[1].action,
    isEnforced: isHeld,
    needsAll: [...enforced, ...checking].some(({ policy }) => policy.unreadable === 'refuse'),
  };
}

const restores = ({ policy: { mode, pii } }: Prepared): boolean => mode === 'enforce' && pii?.restore === true;

/** Whether what is replaced has a number in its session, and whether the value itself is kept for that. */
export function asksLabels(request: DataRules | null, response: DataRules | null) {
  const all = [request, response].flatMap((each) => each?.policies ?? []);
  return {
    asks:
      response?.config.findsLabels === true ||
      all.some(({ policy: { mode, pii } }) => mode === 'enforce' && pii?.replace_with === 'label'),
    keepsValues: response?.config.findsLabels === true,
  };
}
