import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api-query.ts';
import { ConnectButton } from '../../components/connect-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Choice } from '../../components/lists/choice.tsx';
import { ListCard } from '../../components/lists/list-card.tsx';
import { NumberedPager } from '../../components/lists/pager.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
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
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace: true });
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
          <ListCard
            label="Agents"
            nouns={['agent', 'agents']}
            rows={agents.slice(0, pageSize)}
            rowKey={({ id }) => id}
            columns={agentColumns(change)}
            stale={query.isPlaceholderData}
            page={page}
            onShowAll={isFiltered ? () => set({ search: undefined, status: undefined }) : undefined}
            hint="None of the agents has this name and status."
            none={
              <EmptyState title="No agent yet" action={<ConnectButton />}>
                An agent appears here with its first request through the proxy.
              </EmptyState>
            }
          >
            <NumberedPager page={page} size={pageSize} count={agents.length} nouns="Agents" />
          </ListCard>
        )}
      </Reading>
    </Screen>
  );
}
