import type { ListedAgent } from '@agp/core/contracts';
import { countOf, formatCount } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { apiQuery, refreshMs } from '../api/api.ts';
import { usePermissions } from '../api/session.ts';
import { ChangeStatus } from '../changes/change-status.tsx';
import { EditLabels } from '../changes/labels.tsx';
import { SetCap } from '../changes/set-cap.tsx';
import { CapBar, capOf } from '../components/cap-bar.tsx';
import { Cost, useUnpriced } from '../components/cost.tsx';
import { EmptyState } from '../components/feedback.tsx';
import { Choice, SearchField } from '../components/filters.tsx';
import { LabelField } from '../components/known-fields.tsx';
import { Labels } from '../components/labels.tsx';
import { ConnectButton } from '../components/layout.tsx';
import { actionColumn, type Column } from '../components/list.tsx';
import { ListScreen } from '../components/list-screen.tsx';
import { pageQuery } from '../components/pager.tsx';
import { useFilters } from '../components/use-filters.tsx';
import { AgentLink, PiiKinds, Pill, StatusPill, TimeAgo } from '../components/values.tsx';
import { EvidenceButton } from '../evidence/evidence-button.tsx';
import { AgentPeek } from './agent/agent-screen.tsx';

function isRetiredButSending({ status, requests_today }: ListedAgent): boolean {
  return status === 'retired' && (requests_today ?? 0) > 0;
}

const agentColumns = (mayChange: boolean, unpriced: ReadonlyMap<string, number>): Column<ListedAgent>[] => [
  {
    head: 'Agent',
    order: ['name', 'ascending'],
    cell: ({ id, name, metadata }) => (
      <span className="named">
        <AgentLink id={id} name={name} />
        <Labels of={metadata} />
      </span>
    ),
  },
  {
    head: 'Status',
    cell: (agent) => (
      <span>
        <StatusPill status={agent.status} /> {isRetiredButSending(agent) && <Pill tone="warn">still sending</Pill>}
      </span>
    ),
  },
  { head: 'Last seen', order: ['seen'], cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
  { head: 'Requests today', right: true, wide: true, cell: ({ requests_today }) => formatCount(requests_today ?? 0) },
  {
    head: 'Cost today',
    order: ['cost'],
    right: true,
    cell: ({ id, cost_today_usd: usd = 0 }) => (
      <Cost usd={usd} tokens={unpriced.get(id) ?? 0} unpriced={unpriced.get(id)} />
    ),
  },
  { head: 'Of its cap', cell: (agent) => <CapBar of={capOf(agent)} whose={agent.name} bare /> },
  {
    head: 'Personal data today',
    wide: true,
    cell: ({ pii_today = [] }) =>
      pii_today.length === 0 ? <span className="dim none">none</span> : <PiiKinds kinds={pii_today} />,
  },
  ...(mayChange
    ? [
        actionColumn((agent: ListedAgent) => (
          <ChangeStatus agents={[agent]} to={agent.status === 'blocked' ? 'active' : 'blocked'} size="xs" />
        )),
      ]
    : []),
];

const route = getRouteApi('/agents');

const statuses = { active: 'Active', blocked: 'Blocked', retired: 'Retired' };
const orders = { cost: 'Cost today', seen: 'Last seen', name: 'Name', created: 'First seen' };

export function AgentsScreen() {
  const search = route.useSearch();
  const { order = 'cost', status, label } = search;
  const { change: mayChange } = usePermissions();
  const { change, bind, ...at } = useFilters(search);
  const [selected, setSelected] = useState<ReadonlyMap<string, ListedAgent>>(new Map());
  const query = useQuery({
    ...apiQuery('/api/v1/agents', {
      query: { ...pageQuery(at.page), expand: 'usage', order, status, label, search: search.search },
    }),
    refetchInterval: refreshMs,
  });
  const unpriced = useUnpriced({ from: 'today' }, ['agent'], (sum) => sum.agent_id ?? '');
  const shown = query.data?.data ?? [];
  // A selected agent stays so while the list moves under it.
  const select = (keys: ReadonlySet<string>) =>
    setSelected(
      new Map([...selected.values(), ...shown].filter(({ id }) => keys.has(id)).map((agent) => [agent.id, agent])),
    );
  const chosen = [...selected.values()].map((agent) => shown.find(({ id }) => id === agent.id) ?? agent);
  return (
    <ListScreen
      title="Agents"
      about="Whatever sends requests through the proxy under a name of its own"
      actions={<EvidenceButton of={{ whose: label === undefined ? 'all' : 'label', label }} />}
      filters={
        <>
          <SearchField label="Name" placeholder="Any part of it" {...bind('search')} />
          <LabelField {...bind('label')} />
          <Choice label="Status" none="All" options={statuses} {...bind('status')} />
          <Choice label="Order" options={orders} {...bind('order')} value={order} />
        </>
      }
      label="Agents"
      nouns={['agent', 'agents']}
      query={query}
      at={at}
      rowKey={({ id }) => id}
      columns={agentColumns(mayChange, unpriced)}
      peek={({ id }) => <AgentPeek id={id} />}
      sort={{ by: order, onChange: (next) => change({ order: next as typeof order }) }}
      numbered={['Previous', 'Next']}
      {...(mayChange && { selection: { selected, onChange: select } })}
      hint="None of the agents has this name, label and status."
      none={
        <EmptyState title="No agent yet" action={<ConnectButton />}>
          An agent appears here with its first request through the proxy.
        </EmptyState>
      }
    >
      {selected.size > 0 && <Chosen agents={chosen} onDone={() => setSelected(new Map())} />}
    </ListScreen>
  );
}

/** What can be done to all agents that are selected. */
function Chosen({ agents, onDone }: { agents: readonly ListedAgent[]; onDone: () => void }) {
  const blocked = agents.filter(({ status }) => status === 'blocked');
  return (
    <section className="filters selected no-print" aria-label="Selected agents">
      <strong title={agents.map(({ name }) => name).join(', ')}>{countOf(agents.length, 'agent')} selected</strong>
      <ChangeStatus agents={agents} to="blocked" size="xs" onDone={onDone} />
      {blocked.length > 0 && <ChangeStatus agents={blocked} to="active" size="xs" onDone={onDone} />}
      <SetCap
        owner={{ kind: 'agents', agents }}
        of={{ daily_cap_usd: null }}
        each={agents.map(capOf)}
        onDone={onDone}
      />
      <EditLabels agents={agents} onDone={onDone} />
    </section>
  );
}
