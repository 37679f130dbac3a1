import type { ModelPrice } from '@agp/core/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery } from '../../api/api.ts';
import { EmptyState } from '../../components/feedback.tsx';
import { SearchField } from '../../components/filters.tsx';
import { ReadList } from '../../components/list.tsx';
import { useFilters } from '../../components/list-screen.tsx';
import { TimeStamp } from '../../components/values.tsx';
import { listFurther, namePrice, showPrice } from '../../format/prices.ts';

const route = getRouteApi('/costs');
const sources = { prices_file: 'your PRICES_FILE', library: 'price list', supplement: 'supplement' };
/** Units without a column, steps, and what calls without a price lacked. */
function Others({ prices, missing, add, source, unpriced_at }: ModelPrice) {
  if (add !== null)
    return (
      <>
        {source === null ? 'No price.' : 'Some units have no price.'} Add to <span className="mono">PRICES_FILE</span>:{' '}
        <code className="text-cell">{add}</code>
      </>
    );
  const lacking = unpriced_at === null ? [] : missing.map((unit) => `no price of ${namePrice(unit)}`);
  return [...listFurther(prices), ...lacking].join('; ') || '–';
}

/** What each model costs here now; first those of the last 30 days that were used without a price. */
export function PricesView() {
  const search = route.useSearch();
  const { bind } = useFilters(search);
  const query = useQuery(apiQuery('/api/v1/prices', { query: { search: search.search } }));
  return (
    <>
      <div className="filters">
        <SearchField label="Model" placeholder="Part of a name" {...bind('search')} />
      </div>
      <ReadList
        query={query}
        label="Prices of models"
        atOnce={30}
        rowKey={({ provider, model }) => `${provider} ${model}`}
        columns={[
          {
            head: 'Model',
            cell: ({ model, provider }) => (
              <Link to="/events" search={{ model, provider: provider ?? undefined }}>
                {model}
              </Link>
            ),
          },
          { head: 'Provider', cell: ({ provider }) => provider ?? 'every one' },
          { head: 'In, a million', right: true, cell: ({ prices }) => showPrice(prices.input_mtok) },
          { head: 'Cached', right: true, cell: ({ prices }) => showPrice(prices.cache_read_mtok) },
          { head: 'Out, a million', right: true, cell: ({ prices }) => showPrice(prices.output_mtok) },
          { head: 'Others', cell: (row) => <Others {...row} /> },
          {
            head: 'From',
            cell: ({ source, since, price_version }) => (
              <>
                {source === null ? 'no source' : sources[source]}
                {source === 'library' && price_version?.includes('supplement') && ', supplement'}
                {source !== 'prices_file' && price_version?.includes('prices-file') && ', your PRICES_FILE'}
                {since !== null && (
                  <>
                    {' since '}
                    <TimeStamp at={since} />
                  </>
                )}
              </>
            ),
          },
        ]}
        none={<EmptyState title="No model matches">Search for a shorter part of its name.</EmptyState>}
      />
    </>
  );
}
