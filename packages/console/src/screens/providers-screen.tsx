import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { defaultWindow, refreshMs, usageQuery } from '../api/api.ts';
import { Cost } from '../components/cost.tsx';
import { EmptyState, Reading } from '../components/feedback.tsx';
import { Choice } from '../components/filters.tsx';
import { ConnectButton, Screen } from '../components/layout.tsx';
import { List } from '../components/list.tsx';
import { useFilters } from '../components/list-screen.tsx';
import { resultColumns } from '../components/results.tsx';
import { formatShortCount } from '../format/format.ts';
import { windows } from '../search/search.ts';

const route = getRouteApi('/providers');
const most = 100;

/** What each provider was asked, how it answered and what it cost. */
export function ProvidersScreen() {
  const search = route.useSearch();
  const { from = defaultWindow } = search;
  const { bind } = useFilters(search);
  const query = useQuery({ ...usageQuery({ from }, ['provider'], most), refetchInterval: refreshMs });
  const since = query.data?.data.from ?? undefined;
  return (
    <Screen
      title="Providers"
      about="How each provider answers, and what it costs. p50 and p95: half and 95% of the calls took less"
      actions={<Choice label="Time" options={windows} {...bind('from')} value={from} />}
    >
      <Reading query={query}>
        {({ data: { usage } }) => (
          <List
            label="Providers"
            rows={usage}
            rowKey={({ provider }) => provider ?? ''}
            columns={[
              {
                head: 'Provider',
                cell: ({ provider }) => (
                  <Link to="/events" search={{ provider, from: since }}>
                    {provider}
                  </Link>
                ),
              },
              {
                head: 'Cost',
                right: true,
                cell: (row) => <Cost usd={row.total_cost_usd} tokens={row.total_tokens} model={row.model} />,
              },
              ...resultColumns(({ provider }) => ({ provider, from: since })),
              {
                head: 'Refused',
                cell: ({ provider }) => (
                  <Link to="/refusals" search={{ provider, from: since }}>
                    what was refused
                  </Link>
                ),
              },
              { head: 'Tokens', right: true, cell: ({ total_tokens }) => formatShortCount(total_tokens) },
            ]}
            none={<EmptyState title="No provider was asked in this time" action={<ConnectButton />} />}
          />
        )}
      </Reading>
    </Screen>
  );
}
