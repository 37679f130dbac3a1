import type { SearchConfig } from '@agp/metering';
import {
  type DataDecision,
  type Direction,
  decideKinds,
  findException,
  type HeadFacts,
  joinDecisions,
  listDataPolicies,
  listPatterns,
  nameKind,
  type Prepared,
  type RuleSet,
} from '@agp/policy';

/** What rules of data say of one direction of a call. */
export interface DataRules {
  policies: readonly Prepared[];
  config: SearchConfig;
  /** What becomes of a kind by all enforced policies. @param beside kinds that share its text: what says least of both counts */
  decide(kind: string, beside?: readonly string[]): DataDecision | undefined;
  /** The same for all kinds that a label names alike, and one of them. */
  decideByName(name: string): (DataDecision & { kind: string }) | undefined;
  /** Some policy does more than observe. */
  isEnforced: boolean;
  /** Whether an enforced rule must be sure of every text. */
  needsAll: boolean;
  /** Some of what it replaces is put back into answers. */
  restores: boolean;
}

/** Null if no policy has any for it. @param findsLabels what the request's rules replaced is put back */
export function findDataRules(
  rules: RuleSet,
  head: HeadFacts,
  direction: Direction,
  findsLabels = false,
): DataRules | null {
  const policies = listDataPolicies(rules, head, direction);
  const enforce = (rule: 'pii' | 'check') =>
    policies.filter(
      (each) =>
        each.policy.mode === 'enforce' &&
        each.policy[rule]?.[direction] &&
        findException(each, head, `${rule}.${direction}`) === null,
    );
  const [enforced, checking] = [enforce('pii'), enforce('check')];
  const isHeld = enforced.length + checking.length > 0 || findsLabels;
  // What only observes answers reads what is recorded of them.
  if (direction === 'response' ? !isHeld : policies.length === 0) return null;
  const decided = decideKinds(enforced, direction);
  const restores = [...decided.values()].some((each) => each.restores);
  return {
    policies,
    config: {
      kinds: [...new Set(policies.flatMap(({ data }) => [...data[direction].keys()]))],
      patterns: listPatterns(policies),
      findsLabels,
      values: [],
      repeats: direction === 'request' && restores,
    },
    decide(kind, beside = []) {
      const own = decided.get(kind);
      if (own?.action !== 'redact') return own;
      const others = beside.flatMap((other) => decided.get(other) ?? []);
      return others.filter(({ action }) => action === 'redact').reduce(joinDecisions, own);
    },
    decideByName(name) {
      const named = [...decided].filter(([kind]) => nameKind(kind) === name);
      return named[0] && { kind: named[0][0], ...named.map(([, each]) => each).reduce(joinDecisions) };
    },
    isEnforced: isHeld,
    restores,
    needsAll: [...enforced, ...checking].some(({ policy }) => policy.unreadable === 'refuse'),
  };
}
