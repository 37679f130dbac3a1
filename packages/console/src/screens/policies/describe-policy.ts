import type { Policy } from '@agp/policy';

/** The members that are rules. */
const rules = ['models', 'providers', 'operations', 'limits', 'hours', 'tools'] as const;

export const listRules = (policy: Policy): string[] => rules.filter((rule) => policy[rule] !== undefined);

export const hasEnded = ({ until }: Policy, now = Date.now()): boolean =>
  until !== undefined && Date.parse(until) <= now;
