import { shortenId } from '@agp/core/text';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { apiQuery } from '../api/api.ts';
import { formatDay, formatLocalTime, nameAction } from '../format/format.ts';
import { findDay, isDay, timeSpans } from '../search/search.ts';

/** The labels of fields whose members have other names. */
const chipNames: Readonly<Record<string, string>> = {
  ...{ agent_id: 'Agent', session_id: 'Session', actor: 'Who', reason: 'Why', outcome: 'Result' },
  ...{ decision: 'Policies did', pii_type: 'Personal data', pii: 'Personal data', search: 'Name', text: 'Has' },
  ...{ from: 'From', to: 'Before' },
};

const ids = ['agent_id', 'policy_id', 'session_id', 'request_id'];
const nameSpan = (value: string) => Object.entries(timeSpans).find(([span]) => span === value)?.[1];

/** What a chip is called: as its field. */
function nameChip(member: string, value: string): string {
  if (member === 'from' && nameSpan(value)) return 'Time';
  const words = member.replaceAll('_', ' ');
  return chipNames[member] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** What a chip's value reads. */
function tellValue(member: string, value: string): string {
  if (ids.includes(member)) return shortenId(value);
  if (member === 'action') return value.split(',').map(nameAction).join(', ');
  if (member === 'pii_type') return value.replaceAll('_', ' ');
  if (member !== 'from' && member !== 'to') return value;
  const day = findDay(value);
  return nameSpan(value) ?? (isDay(day) ? formatDay(day) : value.includes('T') ? formatLocalTime(value) : value);
}

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
          member={name}
          value={String(value)}
          onRemove={() => onChange({ [name]: undefined } as Partial<Filter>)}
        />
      ))}
    </div>
  );
}

function Chip({ member, value, onRemove }: { member: string; value: string; onRemove: () => void }) {
  const isAgent = member === 'agent_id';
  const agent = useQuery({ ...apiQuery('/api/v1/agents/{id}', { path: { id: value } }), enabled: isAgent });
  const shown = value === 'true' ? '' : (agent.data?.data.name ?? tellValue(member, value));
  const name = nameChip(member, value);
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

export interface ListSearch {
  page?: number | undefined;
  cursor?: string | undefined;
  order?: string | undefined;
  sort?: string | undefined;
}

/** What the address narrows a list to, and the ways to change it: each leads back to the first page. */
export function useFilters<Search extends object>(search: Search) {
  const navigate = useNavigate();
  const { page = 1, cursor, order: _, sort: __, ...filter } = search as Search & ListSearch;
  const go = (next: object, replace: boolean) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, page: undefined, cursor: undefined, ...next })) as never,
      replace,
    });
  const set = Object.entries(filter).filter(([, value]) => value !== undefined);
  return {
    filter,
    page,
    cursor,
    isFirst: page === 1 && cursor === undefined,
    change: (next: Partial<Search>) => go(next, true),
    /** What a field of one member is given. */
    bind: <Name extends keyof Search>(name: Name) => ({
      value: search[name],
      onChange: (value: Search[Name] | undefined) => go({ [name]: value }, true),
    }),
    chips: <Chips filter={filter} onChange={(next) => go(next, true)} />,
    /** Takes all filters away; undefined if there are none. */
    showAll: set.length > 0 ? () => go(Object.fromEntries(set.map(([name]) => [name, undefined])), false) : undefined,
  };
}
