import type { BudgetDefinition, StoredBudget } from '@agp/budgets';
import { useState } from 'react';
import { callApi } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { undone } from '../../changes/each-agent.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Diff } from '../../components/diff.tsx';
import { tellAmount } from '../../format/format.ts';
import { BudgetForm, begun } from './budget-form.tsx';

/** What becomes of requests beyond a budget. */
export const outcomes = { observe: 'only counted', warn: 'warned', refuse: 'refused' } as const;

const textOf = ({ budget }: StoredBudget) => JSON.stringify(budget, null, 2);

/** @param id null makes another @returns it as it is stored */
async function putBudget(id: string | null, budget: BudgetDefinition, reason?: string, ifMatch?: string) {
  const [body, query] = [budget as never, { reason }];
  return id === null
    ? (await callApi('post', '/api/v1/budgets', { params: { query }, body })).data
    : (await callApi('put', '/api/v1/budgets/{id}', { params: { path: { id }, query }, body, ifMatch })).data;
}

const deleteBudget = (id: string, reason: string | undefined, ifMatch: string | undefined) =>
  callApi('delete', '/api/v1/budgets/{id}', { params: { path: { id }, query: { reason } }, ifMatch });

/** A button that makes a budget, or changes one. @param stored null for a new one */
export function WriteBudget({ stored }: { stored: StoredBudget | null }) {
  const { change } = usePermissions();
  const [opened, setOpened] = useState(stored);
  const [draft, setDraft] = useState(begun);
  const [ready, setReady] = useState(false);
  if (!change) return null;
  const name = stored ? `Change ${stored.budget.name}` : 'New budget';
  return (
    <ConfirmButton
      {...{ name, title: name, label: stored ? 'Change' : name, verb: stored ? 'Save' : 'Make' }}
      {...(stored ? { seen: [`${stored.version}`] } : { at: 'new' })}
      wide
      onOpen={() => {
        setOpened(stored);
        setDraft(stored?.budget ?? begun);
        setReady(false);
      }}
      ready={ready}
      change={(reason, [ifMatch]) => putBudget(stored?.id ?? null, draft, reason, ifMatch)}
      done={`${draft.name} is ${tellAmount(draft)}; beyond it requests are ${outcomes[draft.on_exceeded]}.`}
      undo={({ id, version }): Promise<unknown> =>
        stored ? putBudget(id, stored.budget, undone, `${version}`) : deleteBudget(id, undone, `${version}`)
      }
    >
      <BudgetForm draft={draft} onChange={setDraft} onReady={setReady} />
      {stored && opened && stored.version !== opened.version && <Diff before={textOf(opened)} after={textOf(stored)} />}
    </ConfirmButton>
  );
}

/** Buttons for who may change a budget. */
export function BudgetActions({ stored }: { stored: StoredBudget }) {
  const { id, version, budget } = stored;
  if (!usePermissions().change) return null;
  return (
    <>
      <WriteBudget stored={stored} />{' '}
      <ConfirmButton
        of={budget.name}
        verb="Delete"
        danger
        seen={[`${version}`]}
        change={(reason, [ifMatch]) => deleteBudget(id, reason, ifMatch)}
        done={`${budget.name} is gone.`}
        undo={() => putBudget(null, budget, undone)}
      >
        It holds for no further request{budget.on_exceeded === 'refuse' && ': what it refused is let through'}. What was
        used stays recorded.
      </ConfirmButton>
    </>
  );
}
