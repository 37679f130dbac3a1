import type { SearchConfig } from '@agp/metering';
import {
  type CallHead,
  type DataAction,
  type Direction,
  findException,
  listDataPolicies,
  listPatterns,
  listStrictest,
  nameKind,
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
  /** What some of it is replaced by has a number in its session. */
  writesLabels: boolean;
}

/** Null if no policy has any for it. */
export function findDataRules(rules: RuleSet, head: CallHead, direction: Direction): DataRules | null {
  const restoring = direction === 'request' ? [] : listDataPolicies(rules, head, 'request').filter(restores);
  const policies = listDataPolicies(rules, head, direction);
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
  const decided = listStrictest(enforced, direction);
  return {
    policies,
    config: {
      kinds: [...new Set(policies.flatMap(({ data }) => [...data[direction].keys()]))],
      patterns: listPatterns(policies),
      findsLabels: restoring.length > 0,
    },
    decide: (kind) => decided.get(kind),
    decideByName: (name) => [...decided].find(([kind]) => nameKind(kind) === name)?.[1].action,
    isEnforced: isHeld,
    writesLabels: [...decided.values()].some(
      ({ action, by }) => action === 'redact' && by.policy.pii?.replace_with === 'label',
    ),
    needsAll: [...enforced, ...checking].some(({ policy }) => policy.unreadable === 'refuse'),
  };
}

const restores = ({ policy: { mode, pii } }: Prepared): boolean => mode === 'enforce' && pii?.restore === true;
