import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api-query.ts';
import { Card } from '../../components/card.tsx';
import { Choice } from '../../components/choice.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Pager } from '../../components/pager.tsx';
import { Reading } from '../../components/reading.tsx';
import { RowsTable } from '../../components/rows-table.tsx';
import { Screen } from '../../components/screen.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { usePermissions } from '../../session/session-context.ts';
import { agentColumns } from './agent-columns.tsx';
import type { AgentsSearch } from './read-agents-search.ts';

const route = getRouteApi('/agents');
const pageSize = 50;

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'blocked', label: 'Blocked' },
  { value: 'retired', label: 'Retired' },
] as const;
const orders = [
  { value: 'cost', label: 'Cost today' },
  { value: 'seen', label: 'Last seen' },
  { value: 'name', label: 'Name' },
  { value: 'created', label: 'First seen' },
] as const;

/** All agents: what they are, when they were last seen, and what they used today. */
export function AgentsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { change } = usePermissions();
  const page = search.page ?? 1;
  const set = (next: Partial<AgentsSearch>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace: !('page' in next) });
  const query = useQuery({
    ...apiQuery('/api/v1/agents', {
      query: {
        expand: 'usage',
        order: search.order ?? 'cost',
        status: search.status,
        search: search.search,
        // One more than is shown tells if there is a next page.
        limit: pageSize + 1,
        offset: (page - 1) * pageSize,
      },
    }),
    refetchInterval: refreshMs,
  });
  const isFiltered = search.search !== undefined || search.status !== undefined;
  return (
    <Screen
      title="Agents"
      about="Whatever sends requests through the proxy under a name of its own"
      actions={
        <>
          <SearchField
            label="Name"
            placeholder="Any part of it"
            value={search.search}
            onChange={(text) => set({ search: text })}
          />
          <Choice
            label="Status"
            none="All"
            options={statuses}
            value={search.status}
            onChange={(status) => set({ status })}
          />
          <Choice label="Order" options={orders} value={search.order ?? 'cost'} onChange={(order) => set({ order })} />
        </>
      }
    >
      <Reading query={query}>
        {({ data: agents }) => (
          <Card flush>
            {agents.length === 0 && isFiltered && (
              <EmptyState
                title="No agent matches"
                action={
                  <Button variant="default" onClick={() => set({ search: undefined, status: undefined })}>
                    Show all agents
                  </Button>
                }
              >
                None of the agents has this name and status.
              </EmptyState>
            )}
            {agents.length === 0 && !isFiltered && (
              <EmptyState
                title="No agent yet"
                action={<Button renderRoot={(props) => <Link to="/start" {...props} />}>Connect an agent</Button>}
              >
                An agent appears here with its first request through the proxy.
              </EmptyState>
            )}
            {agents.length > 0 && (
              <RowsTable
                label="Agents"
                rows={agents.slice(0, pageSize)}
                rowKey={({ id }) => id}
                columns={agentColumns(change)}
                stale={query.isPlaceholderData}
              />
            )}
            {(page > 1 || agents.length > pageSize) && (
              <Pager
                onPrevious={page > 1 ? () => set({ page: page - 1 }) : undefined}
                onNext={agents.length > pageSize ? () => set({ page: page + 1 }) : undefined}
              >
                Agents {(page - 1) * pageSize + 1} to {(page - 1) * pageSize + Math.min(agents.length, pageSize)}
              </Pager>
            )}
          </Card>
        )}
      </Reading>
    </Screen>
  );
}
