import { type BudgetDefinition, type BudgetPreview, isCalendar, windowChoices } from '@agp/budgets';
import { toTeamPrefix } from '@agp/core/contracts';
import { countOf, formatCount, formatShare } from '@agp/core/explain';
import { nameSchema } from '@agp/documents/schema';
import { NumberInput, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiQuery, callApi } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { AmountInput, toAmount } from '../../changes/amount-fields.tsx';
import type { DraftProps } from '../../changes/stored.tsx';
import { FailureNotice } from '../../components/feedback.tsx';
import { pauseMs } from '../../components/filters.tsx';
import { useSeenNames, zones } from '../../components/known-fields.tsx';
import { partOf } from '../../components/meter.tsx';
import { TimeStamp } from '../../components/values.tsx';
import { formatAmount } from '../../format/format.ts';
import { compact } from '../../search/search.ts';
import { useFaults } from '../policies/field-faults.ts';
import { type Form, NamesField, ValueField } from '../policies/form-fields.tsx';

/** A new budget; an amount that nobody entered is no number. */
export const begun: BudgetDefinition = {
  ...{ name: '', match: {}, split_by: 'none', unit: 'usd', amount: Number.NaN, window: 'month', zone: 'UTC' },
  ...{ thresholds: [50, 80, 100], on_exceeded: 'refuse' },
};

/** What a draft would do, by the API, a moment after it was typed, and the first thing that is wrong with it. */
function usePreview(draft: BudgetDefinition) {
  const [wanted] = useDebouncedValue(draft, pauseMs);
  const name = nameSchema.safeParse(wanted.name);
  // Whom it counts is shown before it has a name and an amount.
  const body = { ...wanted, name: name.data ?? 'new', amount: wanted.amount || 0 } as never;
  const { data, error, isSuccess, isPlaceholderData } = useQuery({
    queryKey: ['/api/v1/budgets/preview', wanted],
    queryFn: ({ signal }) => callApi('post', '/api/v1/budgets/preview', { body, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const { match } = useSession();
  const prefix = match ? toTeamPrefix(match) : '';
  const wrong = wanted.name.startsWith(prefix) ? name.error?.issues[0]?.message : `must begin with ${prefix}`;
  const fault = wanted.name === prefix ? undefined : wrong;
  const isComplete = name.success && wrong === undefined && !Number.isNaN(draft.amount);
  const ready = isComplete && wanted === draft && isSuccess && !isPlaceholderData;
  return { preview: data?.data, error, fault, ready };
}

/** Whom a draft counts, and what its window holds. */
function Effect({ draft, preview }: { draft: BudgetDefinition; preview: BudgetPreview | undefined }) {
  if (preview === undefined) return 'Counting …';
  const { agents, uses, use_count, passed, window } = preview;
  const { unit, split_by, match, on_exceeded, amount } = draft;
  const [most] = uses;
  const more = agents.count - agents.names.length;
  const isShared = split_by === 'none';
  return (
    <>
      <strong>{countOf(agents.count, 'agent')}</strong>
      {agents.count > 0 && `: ${agents.names.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`}
      {(match.tags || match.providers || match.models) && ', as far as their requests match'}.
      <br />
      {most ? `Used already: ${formatAmount(most.used, unit)}` : 'Nothing was used yet'}
      {most && !isShared && `, the most of ${formatCount(use_count)}`}
      {most && amount > 0 && ` (${formatShare(partOf(most.used, amount))})`}
      {!preview.is_complete && ', and more that was not looked at'}.{window.to && ' It begins anew, or moves on: '}
      {window.to && <TimeStamp at={window.to} />}
      {amount >= 0 && passed > 0 && on_exceeded !== 'observe' && (
        <div className="tone-warn">
          {isShared ? 'It is' : `${formatCount(passed)} are`} used up already: the next request is{' '}
          {on_exceeded === 'refuse' ? 'refused' : 'warned'}.
        </div>
      )}
    </>
  );
}

const selectors = ['agents', 'labels', 'tags', 'providers', 'models'] as const;

const choices = {
  zone: Object.fromEntries(zones.map((zone) => [zone, zone])),
  split_by: { none: 'All share it', agent: 'Each agent has it', session: 'Each session has it' },
  unit: { usd: 'USD', tokens: 'Tokens', requests: 'Requests' },
  window: windowChoices,
  on_exceeded: { refuse: 'Refuse requests (429)', warn: 'Let them through, and warn', observe: 'Only count them' },
};

const grid = { ['--least' as string]: '13rem', alignItems: 'start' };

/** Fields for all that a budget is, with what it would do below them. */
export function BudgetForm({ draft, onChange, onReady }: DraftProps<BudgetDefinition>) {
  const { preview, error, fault, ready } = usePreview(draft);
  const { fault: fieldFault, tell } = useFaults();
  useEffect(() => onReady(ready && !fieldFault), [ready, fieldFault, onReady]);
  const [entered, setEntered] = useState<number | string>(Number.isNaN(draft.amount) ? '' : draft.amount);
  const seen = useSeenNames();
  const known = useQuery({ ...apiQuery('/api/v1/agents/labels'), staleTime: 60_000 }).data?.data ?? [];
  const splits = Object.fromEntries(known.map(({ name }) => [`label:${name}`, `Each ${name} has it`]));
  const [, at, why] = /^([^:]+): (.*)$/s.exec(error?.message ?? '') ?? [];
  const [kind, hours] = draft.window.split(':');
  const set = (change: Partial<BudgetDefinition>) => {
    const next = { ...draft, ...change };
    onChange({ ...next, zone: isCalendar(next.window) ? next.zone : 'UTC' });
  };
  const shown = { ...draft, window: kind === 'rolling' ? 'rolling:24' : draft.window };
  const form: Form = {
    draft: shown,
    seen,
    tell,
    write: ([name, inside], value) => {
      const own = { [name]: name === 'name' ? (value ?? '') : value };
      set(inside ? { match: compact({ ...draft.match, [inside]: value }) } : own);
      return null;
    },
    findFault: ([name, ...inside]) =>
      name === 'name' ? fault : at?.startsWith([name, ...inside].join('.')) ? why : undefined,
  };
  const choose = (name: keyof typeof choices, words: Readonly<Record<string, string>> = choices[name]) => (
    <ValueField form={form} path={[name]} schema={{ words: { [shown[name]]: shown[name], ...words } }} />
  );
  return (
    <Stack gap="sm">
      <ValueField form={form} path={['name']} schema={{ isRequired: true }} />
      <ValueField form={form} path={['description']} schema={{ maxLength: 512 }} />
      <div className="grid" style={grid}>
        {selectors.map((name) => (
          <NamesField key={name} form={form} path={['match', name]} schema={{}} />
        ))}
        {choose('split_by', { ...choices.split_by, ...splits })}
        <AmountInput
          label="Amount"
          error={form.findFault?.(['amount'])}
          min={0}
          required
          prefix={draft.unit === 'usd' ? '$' : ''}
          value={entered}
          onChange={(next) => {
            setEntered(next);
            set({ amount: toAmount(next) });
          }}
        />
        {choose('unit')}
        {choose('window')}
        {kind === 'rolling' && (
          <NumberInput
            label="Hours"
            hideControls
            value={hours ?? ''}
            onChange={(value) => set({ window: `rolling:${value}` })}
          />
        )}
        {isCalendar(draft.window) && choose('zone')}
        <NamesField form={form} path={['thresholds']} schema={{ items: { type: 'number' }, default: [] }} />
        {choose('on_exceeded')}
      </div>
      {error && !at && <FailureNotice error={error} />}
      <div role="status" className="small">
        {fieldFault ?? (error === null && <Effect draft={draft} preview={preview} />)}
      </div>
    </Stack>
  );
}
