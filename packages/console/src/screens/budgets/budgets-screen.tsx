import type { AgentBudget, Budget } from '@agp/core/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api.ts';
import { usePermissions, useView } from '../../api/session.ts';
import { SetCap } from '../../changes/set-cap.tsx';
import { CapBar, CapOutlook, NoRoom, Outlook, useLastHour } from '../../components/cap-bar.tsx';
import { EmptyState, Reading } from '../../components/feedback.tsx';
import { FlagField, SearchField } from '../../components/filters.tsx';
import { LabelField } from '../../components/known-fields.tsx';
import { LabelledAgent } from '../../components/labels.tsx';
import { Card, Screen } from '../../components/layout.tsx';
import { actionColumn, type Column, List } from '../../components/list.tsx';
import { WhyNone } from '../../components/list-screen.tsx';
import { NumberedPager, pageQuery, pageSize } from '../../components/pager.tsx';
import { SavedViews } from '../../components/saved-views.tsx';
import { useFilters } from '../../components/use-filters.tsx';
import { Money } from '../../components/values.tsx';
import { roundCap } from '../../format/format.ts';
import { NamedBudgets } from './named-budgets.tsx';

const route = getRouteApi('/budgets');

const budgetColumns = (mayChange: boolean, lastHour: ReturnType<typeof useLastHour>): Column<AgentBudget>[] => [
  { head: 'Agent', cell: (row) => <LabelledAgent of={row} /> },
  { head: 'Used of its cap', cell: (row) => <CapBar of={row} whose={row.agent_name} bare /> },
  { head: 'Spent today', right: true, wide: true, cell: ({ spent_usd }) => <Money usd={spent_usd} /> },
  { head: 'Held', right: true, wide: true, cell: ({ reserved_usd }) => <Money usd={reserved_usd} /> },
  {
    head: 'Left',
    right: true,
    cell: ({ remaining_usd, no_room_since: full }) => (
      <span>
        {remaining_usd === null ? <span className="dim">–</span> : <Money usd={remaining_usd} />}{' '}
        <NoRoom since={full} />
      </span>
    ),
  },
  {
    head: 'Cap',
    right: true,
    wide: true,
    cell: ({ daily_cap_usd, warn_only }) => (
      <span>
        {roundCap(daily_cap_usd)}
        {warn_only && <span className="dim"> warns only</span>}
      </span>
    ),
  },
  { head: 'At the last hour’s pace', cell: (row) => <Outlook of={row} lastHour={lastHour(row.agent_id)} /> },
  ...(mayChange
    ? [
        actionColumn((row: AgentBudget) => (
          <SetCap owner={{ kind: 'agents', agents: [{ id: row.agent_id, name: row.agent_name }] }} of={row} />
        )),
      ]
    : []),
];

export function BudgetsScreen() {
  const { search, label, all, page = 1 } = route.useSearch();
  const { bind, ...at } = useFilters({ search, label, all, page });
  const { change, capsOfAll } = usePermissions();
  const lastHour = useLastHour('each');
  const query = useQuery({
    ...apiQuery('/api/v1/budgets', {
      query: { ...pageQuery(page), order: 'use', search, label, capped: !all || undefined },
    }),
    refetchInterval: refreshMs,
  });
  return (
    <Screen
      title="Budgets"
      about="A request needs room in every budget that counts it, and in its caps of the UTC day. The fullest come first."
      actions={<SavedViews />}
    >
      <NamedBudgets />
      <Reading query={query}>
        {({ data: { global, default_agent_cap_usd, default_warn_only, agents } }) => (
          <>
            <div className="grid" style={{ ['--least' as string]: '20rem' }}>
              <GlobalBudget budget={global} mayChange={capsOfAll} />
              <Card
                title="New agents"
                aside={
                  capsOfAll && (
                    <SetCap
                      owner={{ kind: 'default' }}
                      of={{ daily_cap_usd: default_agent_cap_usd, warn_only: default_warn_only }}
                    />
                  )
                }
              >
                <div className="stat-line">
                  {default_agent_cap_usd === null ? 'No cap' : `${roundCap(default_agent_cap_usd)} a day`}
                </div>
                <span className="small dim">
                  What an agent gets with its first request{default_warn_only ? '; it only warns' : ''}
                </span>
              </Card>
            </div>
            <List
              title="Agents"
              aside={
                <div className="filters">
                  <SearchField label="Name" {...bind('search')} />
                  <LabelField {...bind('label')} />
                  <FlagField label="Also without a cap" {...bind('all')} />
                </div>
              }
              label="Budgets of agents"
              rows={agents.slice(0, pageSize)}
              rowKey={({ agent_id }) => agent_id}
              columns={budgetColumns(change, lastHour)}
              stale={query.isPlaceholderData}
              none={
                <WhyNone
                  at={at}
                  nouns={['agent', 'agents']}
                  hint={`None has this name${all ? '' : ' and a cap'}.`}
                  none={<EmptyState title="No agent has a cap">Also without a cap shows all, to set one.</EmptyState>}
                />
              }
            >
              <NumberedPager page={page} size={pageSize} count={agents.length} nouns="agents" />
            </List>
          </>
        )}
      </Reading>
    </Screen>
  );
}

function GlobalBudget({ budget, mayChange }: { budget: Budget; mayChange: boolean }) {
  const view = useView();
  return (
    <Card
      title={`All agents ${view === null ? '' : `with ${view} `}together`}
      aside={mayChange && <SetCap owner={{ kind: 'global' }} of={budget} />}
    >
      <div className="stat-line">
        <Money usd={budget.spent_usd} /> spent today
      </div>
      {view === null && <CapOutlook of={budget} whose="all agents" pace="all" />}
    </Card>
  );
}
