import { applies, type Finding, type RuleSet } from './decide.ts';
import type { CallHead } from './facts.ts';
import type { RuleName } from './rules.ts';
import type { Policy } from './schema.ts';

/** The rules of a policy that an answer can break, if they end it. */
function listEnding({ mode, models, tools }: Policy): RuleName[] {
  if (mode !== 'enforce') return [];
  const blocks = tools?.on_call === 'block';
  return [
    ...(models ? (['models'] as const) : []),
    ...(blocks && tools.client ? (['tools.client'] as const) : []),
    ...(blocks && tools.hosted ? (['tools.hosted'] as const) : []),
  ];
}

/** Whether a policy may end the answer to a call, so that nothing of it may pass unread. */
export const mayEnd = ({ policies }: RuleSet, head: CallHead): boolean =>
  policies.some((prepared) => listEnding(prepared.policy).length > 0 && applies(prepared, head));

/** Whether a finding about an answer ends it. */
export const ends = ({ policy, rule }: Finding): boolean => listEnding(policy).includes(rule);

/** What policies say of an answer that cannot be read. */
export function judgeUnread({ policies }: RuleSet, head: CallHead): Finding[] {
  return policies.flatMap((prepared) => {
    const { policy, version } = prepared;
    const [rule] = listEnding(policy);
    if (rule === undefined || policy.unreadable === 'allow' || !applies(prepared, head)) return [];
    return [{ policy, version, rule, reason: 'its answer cannot be read', isUnread: true }];
  });
}
