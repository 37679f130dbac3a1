import { shortNames } from '@agp/core/explain';
import { shortenId } from '@agp/core/text';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { apiQuery, statusQuery, usageQuery } from '../api/api.ts';
import { formatLocalTime } from '../format/format.ts';
import { addDays, findLastWeek, findMonth, isDay } from '../search/search.ts';

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value | undefined;
  options: readonly { value: Value; label: string }[];
  /** The words for no choice; without them there is always one. */
  none?: string;
  onChange: (value: Value | undefined) => void;
}

/** One of some values, by the browser's own control. */
export function Choice<Value extends string>({ label, value, options, none, onChange }: ChoiceProps<Value>) {
  // A value that came with the address, such as a day, is kept and shown as it is.
  const isOwn = value !== undefined && !options.some((option) => option.value === value);
  const data = [
    ...(none === undefined ? [] : [{ value: '', label: none }]),
    ...options,
    ...(isOwn ? [{ value, label: value }] : []),
  ];
  return (
    <NativeSelect
      label={label}
      size="sm"
      data={data}
      value={value ?? ''}
      onChange={(event) => onChange((event.currentTarget.value || undefined) as Value | undefined)}
    />
  );
}

/** What is typed, until the address changes by itself: by a chip, a choice beside it, a link, or the browser's way back. */
function useText(value: string | undefined) {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  return [text, setText] as const;
}

/** Years are typed digit by digit: those before are not meant yet. */
const earliest = '2000-01-01';

/** @param value `YYYY-MM-DD` */
function DayField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useText(value);
  return (
    <TextInput
      label={label}
      type="date"
      size="sm"
      min={earliest}
      max="9998-12-31"
      value={text}
      onChange={(event) => {
        const given = event.currentTarget.value;
        setText(given);
        if (given >= earliest) onChange(given);
      }}
      onBlur={() => text === '' && value !== undefined && onChange(undefined)}
    />
  );
}

const chipNames: Readonly<Record<string, string>> = {
  ...shortNames,
  policy_id: 'policy id',
  pii_type: 'personal data',
  pii: 'personal data',
  request_id: 'request',
  outcome: 'result',
  text: 'has',
};

/** Every filter that holds, also one that came with a link: each can be taken away. */
export function Chips<Filter extends object>({
  filter,
  onChange,
}: {
  filter: Filter;
  onChange: (next: Partial<Filter>) => void;
}) {
  const set = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (set.length === 0) return null;
  return (
    <div className="chips no-print">
      {set.map(([name, value]) => (
        <Chip
          key={name}
          name={chipNames[name] ?? name}
          value={String(value)}
          onRemove={() => onChange({ [name]: undefined } as Partial<Filter>)}
        />
      ))}
    </div>
  );
}

function Chip({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  const agent = useQuery({ ...apiQuery('/api/v1/agents/{id}', { path: { id: value } }), enabled: name === 'agent' });
  const isId = name === 'agent' || name === 'policy id' || name === 'session' || name === 'request';
  const own = /^\d{4}-\d\d-\d\dT/.test(value) ? formatLocalTime(value) : isId ? shortenId(value) : value;
  const shown = value === 'true' ? '' : (agent.data?.data.name ?? own);
  return (
    <Button
      variant="default"
      size="compact-xs"
      radius="xl"
      maw="20rem"
      onClick={onRemove}
      aria-label={`Remove the filter ${name} ${shown}`.trim()}
      title={value}
    >
      {name}
      {shown && `: ${shown}`} ×
    </Button>
  );
}

/** Fields that narrow a list; on a phone they fold behind a button. */
export function Filters({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="filters fold no-print" data-open={isOpen}>
      <Button
        variant="default"
        className="fold-button"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Filters
      </Button>
      <div className="filters">{children}</div>
    </div>
  );
}

/** A kind of personal data, of those that were found lately. */
export function KindField({ value, onChange }: Pick<SearchFieldProps, 'value' | 'onChange'>) {
  const found = useQuery(statusQuery('7d')).data?.data.pii ?? [];
  const options = found.map(({ type }) => ({ value: type, label: type.replaceAll('_', ' ') }));
  return <Choice label="Personal data" none="All" options={options} value={value} onChange={onChange} />;
}

const mostAgents = 10;

/** An agent by its name, which is completed. @param value its id */
export function AgentField({ value, onChange }: Pick<SearchFieldProps, 'value' | 'onChange'>) {
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
      <Suggestions id={list} of={agents.map(({ name }) => name)} />
    </>
  );
}

/** What a field's `list` names. */
const Suggestions = ({ id, of }: { id: string; of: readonly string[] }) => (
  <datalist id={id}>
    {of.map((value) => (
      <option key={value} value={value} />
    ))}
  </datalist>
);

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  /** Values that there are. */
  options?: readonly string[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Longest text that a filter takes, as the API has it. */
const longest = 256;
const pauseMs = 250;

/** A model, provider or tag, completed from what was used in the last 30 days. */
export function UsedField({ of, ...field }: SearchFieldProps & { of: 'model' | 'provider' | 'compliance_tag' }) {
  const group = of === 'compliance_tag' ? 'tag' : of;
  const used = useQuery({ ...usageQuery({ from: '30d' }, [group], 100), staleTime: 60_000 }).data?.data.usage ?? [];
  return <SearchField {...field} options={used.flatMap((row) => row[of] ?? [])} />;
}

/** A text filter that takes effect when one stops typing. */
export function SearchField({ label, placeholder, options = [], value, onChange }: SearchFieldProps) {
  const list = useId();
  const [text, setText] = useText(value);
  const tell = useDebouncedCallback((given: string) => onChange(given.trim() || undefined), pauseMs);
  return (
    <>
      <TextInput
        label={label}
        {...(placeholder !== undefined && { placeholder })}
        maxLength={longest}
        type="search"
        size="sm"
        list={list}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          tell(event.currentTarget.value);
        }}
      />
      <Suggestions id={list} of={options} />
    </>
  );
}

/** As the API takes it: `from` is in it, `to` is not. */
interface Range {
  from: string | undefined;
  to: string | undefined;
}

interface TimeRangeProps extends Range {
  label: string;
  /** Spans up to now. */
  spans: readonly { value: string; label: string }[];
  /** The words for no range; without them there is always one. */
  none?: string;
  /** The day with which a span begins, if it begins with one. */
  firstDay?: string | undefined;
  onChange: (range: Range) => void;
}

const describe = ({ from, to }: Range) =>
  [from, to].every((end) => end === undefined || isDay(end))
    ? 'Chosen days'
    : `${from ?? 'any time'} to ${to ?? 'now'}`;

/** From when to when: a span, last week, a month, or a first and a last UTC day. */
export function TimeRange({ label, spans, none, firstDay, from, to, onChange }: TimeRangeProps) {
  const named = [
    { value: 'week', label: 'Last week (Mon–Sun)', ...findLastWeek() },
    { value: 'month', label: 'This month', ...findMonth(0), to: undefined },
    { value: 'last-month', label: 'Last month', ...findMonth(1) },
  ];
  const known = named.find((each) => each.from === from && each.to === to);
  const isSpan = to === undefined && (from === undefined || spans.some(({ value }) => value === from));
  const options = [
    ...spans,
    ...named.map(({ value, label }) => ({ value, label })),
    ...(known || isSpan ? [] : [{ value: 'own', label: describe({ from, to }) }]),
  ];
  const choose = (chosen: string | undefined) => {
    const range = named.find(({ value }) => value === chosen);
    if (range) onChange({ from: range.from, to: range.to });
    else if (chosen !== 'own') onChange({ from: chosen, to: undefined });
  };
  const first = from !== undefined && isDay(from) ? from : firstDay;
  return (
    <>
      <Choice
        label={label}
        {...(none !== undefined && { none })}
        options={options}
        value={known?.value ?? (isSpan ? from : 'own')}
        onChange={choose}
      />
      <DayField label="First day (UTC)" value={first} onChange={(day) => onChange({ from: day, to })} />
      <DayField
        label="Last day (UTC)"
        value={to && addDays(to, -1)}
        onChange={(day) => onChange({ from: day === undefined ? from : (first ?? from), to: day && addDays(day, 1) })}
      />
    </>
  );
}
