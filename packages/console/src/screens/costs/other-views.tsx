import { formatCount, unrecordedReasons } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery } from '../../api/api.ts';
import { EmptyState } from '../../components/feedback.tsx';
import { ReadList } from '../../components/list.tsx';
import { AgentLink, EventTime, Money, ShortId, TimeAgo, TimeStamp } from '../../components/values.tsx';
import { formatShortCount } from '../../format/format.ts';

const doubts = {
  claim_too_large: 'the answer claims more than any call can have used: the call is estimated',
  unreadable: 'the answer, or the end of it, has no figures that could be read',
  billed_later: 'it goes on in the background: an answer that is fetched later has the figures',
  out_of_range: 'a figure that no call can have',
};
const most = 100;

/** Calls whose figures were bounded or could not be read. */
export function DoubtfulView() {
  const query = useQuery(apiQuery('/api/v1/costs/doubtful', { query: { limit: most } }));
  return (
    <ReadList
      query={query}
      label="Calls whose figures are in doubt"
      rowKey={({ event_id }) => event_id}
      columns={[
        {
          head: 'Time',
          cell: ({ event_id, started_at }) => <EventTime id={event_id} at={started_at} />,
        },
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
        { head: 'Claimed', right: true, cell: ({ claimed_cost_usd }) => <Money usd={claimed_cost_usd} /> },
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
export function UnpricedView() {
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
        {
          head: 'Model',
          cell: ({ model, provider }) => (
            <Link to="/events" search={{ model, provider }}>
              {model}
            </Link>
          ),
        },
        { head: 'Provider', cell: ({ provider }) => provider },
        { head: 'Unit', cell: ({ unit }) => unit ?? 'all' },
        { head: 'Requests', right: true, cell: ({ request_count }) => formatCount(request_count) },
        { head: 'Tokens in', right: true, cell: (row) => formatShortCount(row.total_prompt_tokens) },
        { head: 'Tokens out', right: true, cell: (row) => formatShortCount(row.total_completion_tokens) },
        { head: 'First', cell: ({ first_seen_at }) => <TimeStamp at={first_seen_at} /> },
        { head: 'Last', cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
      ]}
      none={
        <EmptyState title="Every model has a price">
          Calls of a model without one would be recorded as $0, and listed here.
        </EmptyState>
      }
    />
  );
}

/** Requests that were forwarded and have no event. */
export function UnrecordedView() {
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
