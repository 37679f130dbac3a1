import type { ModelPrice } from '@agp/core/contracts';
import { formatCount, unrecordedReasons } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery } from '../../api/api.ts';
import { EmptyState } from '../../components/feedback.tsx';
import { SearchField } from '../../components/filters.tsx';
import { Screen, Views } from '../../components/layout.tsx';
import { ReadList } from '../../components/list.tsx';
import { SavedViews } from '../../components/saved-views.tsx';
import { useFilters } from '../../components/use-filters.tsx';
import { AgentLink, EventTime, Money, ShortId, TimeAgo, TimeStamp } from '../../components/values.tsx';
import { formatShortCount, listFurther, namePrice, showPrice } from '../../format/format.ts';
import { InvoiceView } from './invoice-view.tsx';
import { UsageView } from './usage-view.tsx';

const route = getRouteApi('/costs');

/** A model, with its events. */
const ModelLink = ({ of: { model, provider } }: { of: { model: string; provider: string | null } }) => (
  <Link to="/events" search={{ model, provider: provider ?? undefined }}>
    {model}
  </Link>
);

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
function PricesView() {
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
          { head: 'Model', cell: (row) => <ModelLink of={row} /> },
          { head: 'Provider', cell: ({ provider }) => provider ?? 'every one' },
          { head: 'In, a million', right: true, cell: ({ prices }) => showPrice(prices.input_mtok) },
          { head: 'Cached', right: true, wide: true, cell: ({ prices }) => showPrice(prices.cache_read_mtok) },
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

const doubts = {
  claim_too_large: 'the answer claims more than any call can have used: the call is estimated',
  unreadable: 'the answer, or the end of it, has no figures that could be read',
  billed_later: 'it goes on in the background: an answer that is fetched later has the figures',
  out_of_range: 'a figure that no call can have',
};
const most = 100;

/** Calls whose figures were bounded or could not be read. */
function DoubtfulView() {
  const query = useQuery(apiQuery('/api/v1/costs/doubtful', { query: { limit: most } }));
  return (
    <ReadList
      query={query}
      label="Calls whose figures are in doubt"
      rowKey={({ event_id }) => event_id}
      columns={[
        { head: 'Time', cell: ({ event_id, started_at }) => <EventTime id={event_id} at={started_at} /> },
        { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
        { head: 'Model', cell: ({ model, provider }) => `${model} (${provider})` },
        {
          head: 'Why',
          cell: ({ reason, ended_by_event_id: eventId }) =>
            eventId === null ? (
              doubts[reason]
            ) : (
              <Link to="/events/$eventId" params={{ eventId }}>
                it went on in the background, and this later answer has its cost
              </Link>
            ),
        },
        { head: 'Claimed', right: true, wide: true, cell: ({ claimed_cost_usd }) => <Money usd={claimed_cost_usd} /> },
        { head: 'Recorded', right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
      ]}
      none={
        <EmptyState title="No figure is in doubt">
          Answers that claim more than their request allows, or that cannot be read, are listed here.
        </EmptyState>
      }
    />
  );
}

/** Models and units that were used without a price: what they cost counted as nothing. */
function UnpricedView() {
  const query = useQuery(apiQuery('/api/v1/costs/unpriced'));
  return (
    <ReadList
      query={query}
      label="Models without a price"
      intro={
        <>
          Calls were recorded without the cost of what is listed here, or under a cap with the fixed amount for models
          without a price. Add prices to the file that <span className="mono">PRICES_FILE</span> names: it prices later
          calls.
        </>
      }
      rowKey={({ provider, model, unit }) => `${provider} ${model} ${unit}`}
      columns={[
        { head: 'Model', cell: (row) => <ModelLink of={row} /> },
        { head: 'Provider', cell: ({ provider }) => provider },
        { head: 'Unit', cell: ({ unit }) => unit ?? 'all' },
        { head: 'Requests', right: true, cell: ({ request_count }) => formatCount(request_count) },
        { head: 'Tokens in', right: true, cell: (row) => formatShortCount(row.total_prompt_tokens) },
        { head: 'Tokens out', right: true, cell: (row) => formatShortCount(row.total_completion_tokens) },
        { head: 'First', cell: ({ first_seen_at }) => <TimeStamp at={first_seen_at} /> },
        { head: 'Last', cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
      ]}
      none={<EmptyState title="Every model has a price">Calls of a model without one would be listed here.</EmptyState>}
    />
  );
}

/** Requests that were forwarded and have no event. */
function UnrecordedView() {
  const query = useQuery(apiQuery('/api/v1/costs/unrecorded', { query: { limit: most } }));
  return (
    <ReadList
      query={query}
      label="Requests without an event"
      intro="They are in no sum of costs, and count in the budget of their day. An entry goes when its event is recorded after all."
      rowKey={({ event_id }) => event_id}
      columns={[
        { head: 'Time', cell: ({ started_at }) => <TimeStamp at={started_at} /> },
        { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
        { head: 'Model', cell: ({ model, provider }) => `${model ?? 'not known'} (${provider ?? '–'})` },
        { head: 'Why', cell: ({ reason }) => unrecordedReasons[reason] },
        { head: 'Counts as', right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
        { head: 'Event id', cell: ({ event_id }) => <ShortId id={event_id} what="event id" /> },
      ]}
      none={
        <EmptyState title="Every forwarded request is recorded">
          A request whose proxy was killed before its event was safe would be listed here, with what it counts in the
          budgets.
        </EmptyState>
      }
    />
  );
}

const views = {
  usage: ['Usage', UsageView],
  invoice: ['Invoice', InvoiceView, 'invoice'],
  prices: ['Prices', PricesView],
  unpriced: ['Unpriced', UnpricedView],
  doubtful: ['In doubt', DoubtfulView],
  unrecorded: ['Not recorded', UnrecordedView],
} as const;

export function CostsScreen() {
  const { view } = route.useSearch();
  return (
    <Screen
      title="Costs"
      about="From the providers’ own figures and the price list, in USD and by UTC days"
      actions={<SavedViews />}
    >
      <Views label="Views of costs" views={views} view={view} />
    </Screen>
  );
}
