import { type BudgetDefinition, budgetSchema, type StoredBudget } from '@agp/budgets';
import { toTeamPrefix } from '@agp/core/contracts';
import { rewriteText } from '@agp/documents/yaml';
import { usePermissions, useSession } from '../../api/session.ts';
import { Changes, type Kind } from '../../changes/stored.tsx';
import { tellAmount } from '../../format/format.ts';
import { toSelector } from '../policies/describe-policy.ts';
import { BudgetForm, begun } from './budget-form.tsx';

/** What becomes of requests beyond a budget. */
export const outcomes = { observe: 'only counted', warn: 'warned', refuse: 'refused' } as const;

const budgets: Kind<StoredBudget, BudgetDefinition> = {
  path: '/api/v1/budgets',
  noun: 'budget',
  begun,
  read: ({ budget }) => budget,
  rewrite: (text, budget) => rewriteText(text, budgetSchema, budget),
  Form: BudgetForm,
  tell: (budget) => `${budget.name} is ${tellAmount(budget)}; beyond it requests are ${outcomes[budget.on_exceeded]}.`,
  warn: ({ on_exceeded }) => (
    <>
      It holds for no further request{on_exceeded === 'refuse' && ': what it refused is let through'}. What was used
      stays recorded.
    </>
  ),
  canUndo: true,
};

/** Buttons for who may change budgets. @param stored null for a new one */
export function BudgetActions({ stored }: { stored: StoredBudget | null }) {
  const { match } = useSession();
  const { change } = usePermissions(stored);
  // Of a team, for its agents and by a name that it may take.
  const own = match && { name: toTeamPrefix(match), match: { labels: toSelector(match) } };
  return change && <Changes of={{ ...budgets, begun: { ...begun, ...own } }} stored={stored} />;
}
