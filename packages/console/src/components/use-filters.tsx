import { shortNames } from '@agp/core/explain';
import { shortenId } from '@agp/core/text';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { apiQuery } from '../api/api.ts';
import { formatDay, formatLocalTime } from '../format/format.ts';
import { isDay } from '../search/search.ts';

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
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? formatLocalTime(value) : isDay(value) && formatDay(value);
  const own = time || (isId ? shortenId(value) : value);
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
