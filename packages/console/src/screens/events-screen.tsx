import type { ListedEvent, StreamEvent } from '@agp/core/contracts';
import { decisionWords } from '@agp/core/events';
import { describePii, formatCount, isFailed } from '@agp/core/explain';
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { apiQuery } from '../api/api.ts';
import { CallCost } from '../components/cost.tsx';
import { CopyAs, CsvButton } from '../components/export.tsx';
import { EmptyState } from '../components/feedback.tsx';
import { Choice, Filters, SearchField } from '../components/filters.tsx';
import { AgentField, KindField, LabelField, UsedField } from '../components/known-fields.tsx';
import { ConnectButton } from '../components/layout.tsx';
import type { Column } from '../components/list.tsx';
import { ListScreen } from '../components/list-screen.tsx';
import { NewPill, pageSize } from '../components/pager.tsx';
import { PolicyField } from '../components/policies.tsx';
import { TimeRange } from '../components/time-range.tsx';
import { useFilters } from '../components/use-filters.tsx';
import { AgentLink, EventTime, Name, OutcomePill, PiiKinds, Pill, SessionLink } from '../components/values.tsx';
import { useNewCount } from '../live/use-live-events.ts';
import type { EventsSearch } from '../search/screen-searches.ts';
import { timeSpans } from '../search/search.ts';
import { EventPeek } from './event-screen.tsx';

/** Columns that every list of events has. */
type Shown = Pick<
  ListedEvent,
  'id' | 'timestamp' | 'model' | 'prompt_tokens' | 'completion_tokens' | 'cost_usd' | 'pii_detected'
> &
  Partial<Pick<ListedEvent, 'outcome' | 'http_status' | 'failure' | 'pii_types' | 'pii_scan'>>;

const time: Column<Shown> = { head: 'Time', cell: ({ id, timestamp }) => <EventTime id={id} at={timestamp} /> };

const rest: Column<Shown>[] = [
  { head: 'Model', cell: ({ model }) => <Name>{model}</Name> },
  { head: 'Result', cell: (event) => <OutcomePill event={event} /> },
  {
    head: 'Tokens',
    right: true,
    wide: true,
    cell: ({ prompt_tokens, completion_tokens }) => (
      <span title={`${formatCount(prompt_tokens)} in, ${formatCount(completion_tokens)} out`}>
        {formatCount(prompt_tokens + completion_tokens)}
      </span>
    ),
  },
  { head: 'Cost', right: true, cell: (event) => <CallCost of={event} /> },
  {
    head: 'Personal data',
    cell: (event) => {
      if (event.pii_types && event.pii_types.length > 0) return <PiiKinds kinds={event.pii_types} />;
      const { text, tone } = describePii(event);
      return tone === 'plain' ? (
        <span className={text === 'none' ? 'dim none' : 'dim'}>{text}</span>
      ) : (
        <Pill tone={tone}>{text}</Pill>
      );
    },
  },
];

/** Columns of one agent's or one session's events. */
export const ownEventColumns: readonly Column<Shown>[] = [time, ...rest];

/** Columns of all agents' events. */
export const eventColumns: readonly Column<ListedEvent>[] = [
  time,
  { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
  { head: 'Provider', wide: true, cell: ({ provider }) => <Name>{provider}</Name> },
  { head: 'Session', wide: true, cell: ({ session_id }) => <SessionLink id={session_id} /> },
  ...rest,
];

const results = {
  ...{ wrong: 'Failed or answered with an error', completed: 'Completed', failed: 'Failed' },
  ...{ aborted: 'Aborted by the agent', killed: 'Ended by a block' },
};
type Result = keyof typeof results;

function EventFilters({
  search,
  change,
  bind,
}: { search: EventsSearch } & ReturnType<typeof useFilters<EventsSearch>>) {
  const result: Result | undefined = search.failed ? 'wrong' : search.outcome;
  const chooseResult = (chosen: Result | undefined) =>
    change(chosen === 'wrong' ? { failed: true, outcome: undefined } : { failed: undefined, outcome: chosen });
  return (
    <Filters>
      <TimeRange label="Time" none="All" spans={timeSpans} from={search.from} to={search.to} onChange={change} />
      <Choice label="Result" none="All" options={results} value={result} onChange={chooseResult} />
      <AgentField {...bind('agent_id')} />
      <UsedField label="Model" of="model" {...bind('model')} />
      <details className="more-filters">
        <summary>More filters</summary>
        <div className="filters">
          <UsedField label="Provider" of="provider" {...bind('provider')} />
          <UsedField label="Compliance tag" of="compliance_tag" {...bind('compliance_tag')} />
          <LabelField {...bind('label')} />
          <PolicyField {...bind('policy')} />
          <SearchField label="Rule" {...bind('rule')} />
          <Choice label="Policies did" none="All" options={decisionWords} {...bind('decision')} />
          <KindField {...bind('pii_type')} />
          <SearchField label="Request id" {...bind('request_id')} />
        </div>
      </details>
    </Filters>
  );
}

const route = getRouteApi('/events');

/** Recorded requests, newest first; what comes in the meantime waits behind a pill. */
export function EventsScreen() {
  const search = route.useSearch();
  const filters = useFilters(search);
  const { filter, ...at } = filters;
  const { model, compliance_tag: tag, label, pii_type: pii, outcome, failed } = filter;
  const query = useQuery({
    ...apiQuery('/api/v1/events', {
      query: { ...filter, cursor: at.cursor, limit: pageSize, expand: 'agent,outcome', total: 'true' },
    }),
    // Rows never move by themselves; coming back to the newest reads the newest.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: at.isFirst ? 'always' : false,
  });
  const matches = useCallback(
    (event: StreamEvent) =>
      (model === undefined || event.model === model) &&
      (tag === undefined || event.compliance_tag === tag) &&
      // The stream has no labels.
      label === undefined &&
      (pii === undefined || (event.pii_types ?? []).includes(pii)) &&
      (outcome === undefined || event.outcome === outcome) &&
      (!failed || isFailed(event)),
    [model, tag, label, pii, outcome, failed],
  );
  // The stream tells no providers: no pill rather than one that counts others.
  const isCountable = [
    ...[filter.provider, filter.to, filter.request_id, filter.policy, filter.rule, filter.decision],
  ].every((value) => value === undefined);
  const count = useNewCount(
    { agent_id: filter.agent_id, session_id: filter.session_id },
    { matches, since: query.dataUpdatedAt, enabled: isCountable && at.isFirst },
  );
  return (
    <ListScreen
      title="Events"
      about="One for each request that went through the proxy"
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={query.isFetching && !query.isPending}
            onClick={() => void query.refetch()}
          >
            Refresh
          </Button>
          <CopyAs path="/api/v1/events" query={filter} command="events list" />
          <CsvButton
            path="/api/v1/events"
            query={{ ...filter, limit: 1_000, expand: 'agent,outcome' }}
            name="events"
            title="The latest 1,000 that match"
          />
        </>
      }
      label="Events"
      nouns={['event', 'events']}
      query={query}
      at={at}
      rowKey={({ id }) => id}
      columns={eventColumns}
      peek={({ id }) => <EventPeek id={id} />}
      hint="Refused requests are no events: look among the refusals."
      none={
        <EmptyState title="No event yet" action={<ConnectButton />}>
          Each request through the proxy is recorded here, usually within a second of its end.
        </EmptyState>
      }
    >
      <EventFilters search={search} {...filters} />
      <NewPill count={count} onShow={() => void query.refetch()} />
    </ListScreen>
  );
}
