import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { refreshMs, usageQuery } from '../api/api.ts';
import { EmptyState, Reading } from '../components/feedback.tsx';
import { ConnectButton, Screen } from '../components/layout.tsx';
import { ListCard } from '../components/list.tsx';
import { resultColumns } from '../components/results.tsx';
import { Money } from '../components/values.tsx';
import { WindowChoice } from '../components/window-choice.tsx';
import { formatShortCount } from '../format/format.ts';
import { defaultWindow } from '../search/screen-searches.ts';

const route = getRouteApi('/providers');
const most = 100;

/** What each provider was asked, how it answered and what it cost. */
export function ProvidersScreen() {
  const { from = defaultWindow } = route.useSearch();
  const query = useQuery({ ...usageQuery({ from }, ['provider'], most), refetchInterval: refreshMs });
  return (
    <Screen
      title="Providers"
      about="How each provider answers, and what it costs. p50 and p95: half and 95% of the calls took less; estimates"
      actions={<WindowChoice value={from} />}
    >
      <Reading query={query}>
        {({ data: { usage, from: since } }) => (
          <ListCard
            label="Providers"
            rows={usage}
            rowKey={({ provider }) => provider ?? ''}
            columns={[
              {
                head: 'Provider',
                cell: ({ provider }) => (
                  <Link to="/events" search={{ provider, from: since ?? undefined }}>
                    {provider}
                  </Link>
                ),
              },
              { head: 'Cost', right: true, cell: ({ total_cost_usd: usd }) => <Money usd={usd} /> },
              ...resultColumns,
              { head: 'Tokens', right: true, cell: ({ total_tokens }) => formatShortCount(total_tokens) },
              {
                head: 'Failed calls',
                silent: true,
                right: true,
                cell: ({ provider, failed_count }) =>
                  failed_count > 0 && (
                    <Link to="/events" search={{ provider, failed: true, from: since ?? undefined }}>
                      failed calls
                    </Link>
                  ),
              },
            ]}
            none={
              <EmptyState title="No provider was asked in this time" action={<ConnectButton />}>
                A provider appears here with the first request to it.
              </EmptyState>
            }
          />
        )}
      </Reading>
    </Screen>
  );
}
