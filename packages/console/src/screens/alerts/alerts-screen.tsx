import { type Alert, severities } from '@agp/alerts';
import { formatCount } from '@agp/core/explain';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery, refreshMs, rulesQuery } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { Acknowledge, AcknowledgeThese, AlertLink, AlertState, Severity, Told } from '../../components/alerts.tsx';
import { EmptyState } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { AgentField } from '../../components/known-fields.tsx';
import { actionColumn, type Column } from '../../components/list.tsx';
import { ListScreen } from '../../components/list-screen.tsx';
import { pageQuery } from '../../components/pager.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { useFilters } from '../../components/use-filters.tsx';
import { TimeStamp } from '../../components/values.tsx';
import { alertStates, timeSpans } from '../../search/search.ts';

const columns: readonly Column<Alert>[] = [
  {
    head: 'Alert',
    cell: (alert) => (
      <div className="text-cell">
        <AlertLink of={alert} />
        {/* Of what is over, it says what ended it. */}
        <div className={alert.state === 'resolved' ? 'small dim' : 'small dim hide-narrow'}>
          <Told text={alert.detail} />
        </div>
      </div>
    ),
  },
  { head: 'Severity', lead: true, cell: (alert) => <Severity of={alert} /> },
  { head: 'Agents', wide: true, right: true, cell: ({ reach }) => (reach === 0 ? '–' : formatCount(reach)) },
  { head: 'Came up', cell: ({ opened_at }) => <TimeStamp at={opened_at} /> },
  { head: 'State', cell: (alert) => <AlertState of={alert} /> },
  { head: 'Rule', wide: true, cell: ({ rule }) => rule },
  actionColumn((alert) => <Acknowledge of={alert} />),
];

const route = getRouteApi('/alerts');

/** What rules found: at first what is not over. */
export function AlertsScreen() {
  const { filter, change, bind, ...at } = useFilters(route.useSearch());
  const { rules } = usePermissions();
  const names = useQuery({ ...rulesQuery, enabled: rules }).data?.data.map(({ rule }) => rule.name) ?? [];
  const state = filter.state === 'all' ? undefined : (filter.state ?? 'unresolved');
  const query = useQuery({
    ...apiQuery('/api/v1/alerts', { query: { ...filter, state, ...pageQuery(at.page) } }),
    refetchInterval: refreshMs,
  });
  return (
    <ListScreen
      title="Alerts"
      about="What rules found, once each, the worst first; until somebody acknowledges it or it is over it is open"
      actions={
        <>
          <AcknowledgeThese of={query.data?.data ?? []} />
          {rules && (
            <Button variant="default" renderRoot={(props) => <Link to="/alerts/rules" {...props} />}>
              Rules and targets
            </Button>
          )}
        </>
      }
      filters={
        <>
          <Choice label="State" none="not over" options={alertStates} {...bind('state')} />
          <Choice label="Severity" none="All" options={severities} {...bind('severity')} />
          {rules && <Choice label="Rule" none="All" options={names} {...bind('rule')} />}
          <AgentField {...bind('agent_id')} />
          <TimeRange label="Time" none="All" spans={timeSpans} from={filter.from} to={filter.to} onChange={change} />
        </>
      }
      label="Alerts"
      nouns={['alert', 'alerts']}
      query={query}
      at={at}
      rowKey={({ id }) => id}
      columns={columns}
      numbered={['Newer', 'Older']}
      hint="Try another state or a longer time."
      none={<EmptyState title="Nothing is open">What rules find comes here by itself.</EmptyState>}
    />
  );
}
