import { formatCount } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery, defaultWindow, refreshMs, usageQuery } from '../api/api.ts';
import { Cost } from '../components/cost.tsx';
import { EmptyState, Reading } from '../components/feedback.tsx';
import { Choice } from '../components/filters.tsx';
import { ConnectButton, Screen } from '../components/layout.tsx';
import { List } from '../components/list.tsx';
import { useFilters } from '../components/list-screen.tsx';
import { Endings, resultColumns } from '../components/results.tsx';
import { formatShortCount } from '../format/format.ts';
import { windows } from '../search/search.ts';

const route = getRouteApi('/providers');
const most = 100;

/** How many of its requests are listed as refused. */
function Refused({ search }: { search: { provider: string | undefined; from: string | undefined } }) {
  const { data } = useQuery(apiQuery('/api/v1/refusals', { query: { ...search, limit: most } }));
  if (data === undefined) return null;
  const { length } = data.data;
  return length === 0 ? (
    <span className="dim">0</span>
  ) : (
    <Link to="/refusals" search={search}>
      {formatCount(length)}
      {data.next !== null && '+'}
    </Link>
  );
}

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
                head: 'Ended with',
                cell: ({ provider, failed_count }) =>
                  failed_count === 0 ? (
                    <span className="dim none">–</span>
                  ) : (
                    <Endings search={{ provider, from: since }} />
                  ),
              },
              { head: 'Refused', right: true, cell: ({ provider }) => <Refused search={{ provider, from: since }} /> },
              { head: 'Tokens', right: true, cell: ({ total_tokens }) => formatShortCount(total_tokens) },
            ]}
            none={<EmptyState title="No provider was asked in this time" action={<ConnectButton />} />}
          />
        )}
      </Reading>
    </Screen>
  );
}
