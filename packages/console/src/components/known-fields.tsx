import { countOf } from '@agp/core/explain';
import { readLabels } from '@agp/core/labels';
import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { apiQuery, statusQuery, usageQuery } from '../api/api.ts';
import {
  type Bound,
  Choice,
  longest,
  pauseMs,
  SearchField,
  type SearchFieldProps,
  type Suggestion,
  Suggestions,
} from './filters.tsx';

/** A kind of personal data, of those that were found lately. */
export function KindField(field: Bound) {
  const found = useQuery(statusQuery('7d')).data?.data.pii ?? [];
  const options = Object.fromEntries(found.map(({ type }) => [type, type.replaceAll('_', ' ')]));
  return <Choice label="Personal data" none="All" options={options} {...field} />;
}

const mostAgents = 10;

/** An agent by its name, which is completed. @param value its id */
export function AgentField({ value, onChange }: Bound) {
  const [text, setText] = useState('');
  const [isTyping, setTyping] = useState(false);
  const [wanted] = useDebouncedValue(text.trim(), pauseMs);
  const list = useId();
  const known = useQuery({
    ...apiQuery('/api/v1/agents/{id}', { path: { id: value ?? '' } }),
    enabled: value !== undefined,
  });
  const found = useQuery({
    ...apiQuery('/api/v1/agents', { query: { search: wanted, order: 'name', limit: mostAgents } }),
    enabled: wanted !== '',
  });
  const name = value === undefined ? '' : known.data?.data.name;
  // The address may change by itself: by a chip, a link, or the browser's way back.
  useEffect(() => {
    if (name !== undefined) setText(name);
  }, [name]);
  const agents = found.data?.data ?? [];
  const chosen = agents.find((agent) => agent.name === wanted)?.id;
  const isUnknown =
    isTyping && wanted !== '' && wanted === text.trim() && found.data !== undefined && chosen === undefined;
  useEffect(() => {
    if (!isTyping || wanted !== text.trim() || chosen === undefined) return;
    setTyping(false);
    if (chosen !== value) onChange(chosen);
  }, [isTyping, wanted, text, chosen, value, onChange]);
  return (
    <>
      <TextInput
        label="Agent"
        type="search"
        size="sm"
        maxLength={longest}
        list={list}
        error={isUnknown && 'No agent has this name'}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setTyping(true);
          if (event.currentTarget.value === '' && value !== undefined) onChange(undefined);
        }}
      />
      <Suggestions id={list} of={agents.map(({ name }) => [name])} />
    </>
  );
}

type Used = 'model' | 'provider' | 'compliance_tag';

/** What was used in the last 30 days, and how often. */
export function useUsed(of: Used): Suggestion[] {
  const group = of === 'compliance_tag' ? 'tag' : of;
  const used = useQuery({ ...usageQuery({ from: '30d' }, [group], 100), staleTime: 60_000 }).data?.data.usage ?? [];
  return used.map((row) => [row[of] ?? '', countOf(row.request_count, 'request')]);
}

/** All time zones. */
export const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** Names that a selector of requests may have, of the last 30 days, by its members. */
export function useSeenNames() {
  const query = { order: 'seen', limit: 200 } as const;
  const agents = useQuery({ ...apiQuery('/api/v1/agents', { query }), staleTime: 60_000 }).data?.data ?? [];
  return {
    models: useUsed('model').map(([name]) => name),
    providers: useUsed('provider').map(([name]) => name),
    tags: useUsed('compliance_tag').map(([name]) => name),
    agents: agents.map(({ name }) => name),
    labels: agents.flatMap(({ metadata }) => readLabels(metadata).map(([name, value]) => `${name}=${value}`)),
  };
}

/** A model, provider or tag, completed from what was used. */
export const UsedField = ({ of, ...field }: SearchFieldProps & { of: Used }) => (
  <SearchField {...field} options={useUsed(of)} />
);

/** A label of agents, completed from those that they have, as one types. */
export function LabelField({ value, onChange }: Bound) {
  const known = useQuery({ ...apiQuery('/api/v1/agents/labels', { query: { search: value } }), staleTime: 60_000 });
  return (
    <SearchField
      label="Label"
      placeholder="team=sales"
      options={known.data?.data.map((each) => [`${each.name}=${each.value}`, countOf(each.agent_count, 'agent')])}
      value={value}
      onChange={(next) => onChange(next?.replace(/=$/, '') || undefined)}
    />
  );
}
