import type { Policy } from './schema.ts';

/** The members of a policy that are rules. */
const members = [
  ...(['models', 'providers', 'operations', 'limits', 'tools'] as const),
  ...(['hours', 'pii', 'where', 'require', 'check'] as const),
];

/** Those that a policy has. */
export const listRuleMembers = (policy: Policy): (typeof members)[number][] =>
  members.filter((rule) => policy[rule] !== undefined);
