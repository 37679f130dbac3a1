import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api-query.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Choice } from '../../components/lists/choice.tsx';
import { LinkedFilter } from '../../components/lists/linked-filter.tsx';
import { ListCard } from '../../components/lists/list-card.tsx';
import { NumberedPager } from '../../components/lists/pager.tsx';
import { TimeRange } from '../../components/lists/time-range.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
import { actionNames } from '../../explain/describe-change.ts';
import { describeFilter } from '../../print/describe-filter.ts';
import { PrintButton } from '../../print/print-button.tsx';
import { PrintStamp } from '../../print/print-stamp.tsx';
import { timeSpans } from '../../search/time-spans.ts';
import { AuditChain } from './audit-chain.tsx';
import { auditColumns } from './audit-columns.tsx';
import type { AuditSearch } from './read-audit-search.ts';

const route = getRouteApi('/audit');
const pageSize = 50;

const actions = Object.entries(actionNames).map(([value, label]) => ({ value, label }));

/** Who changed what and what was refused, and the chain that proves it. */
export function AuditScreen() {
  const { page = 1, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    ...apiQuery('/api/v1/audit', {
      query: { ...filter, expand: 'agent', limit: pageSize + 1, offset: (page - 1) * pageSize } as never,
    }),
    ...(page === 1 && { refetchInterval: refreshMs }),
  });
  const change = (next: Partial<AuditSearch>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace: true });
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Screen
      title="Audit log"
      about="Every change with who made it and why, and every refused request: one chain of hashes"
      actions={
        <>
          <TimeRange label="Time" none="All" spans={timeSpans} from={filter.from} to={filter.to} onChange={change} />
          <Choice
            label="Action"
            none="All"
            options={actions}
            value={filter.action}
            onChange={(action) => change({ action })}
          />
          <LinkedFilter name="agent" value={filter.agent_id} onRemove={() => change({ agent_id: undefined })} />
          <PrintButton />
        </>
      }
    >
      <PrintStamp>
        {isFiltered && `; only entries with ${describeFilter(filter)}`}
        {(page > 1 || (query.data?.data.length ?? 0) > pageSize) && '; one page of several'}
      </PrintStamp>
      <AuditChain />
      <Reading query={query}>
        {({ data: entries }) => (
          <ListCard
            label="Entries of the audit log"
            nouns={['entry', 'entries']}
            rows={entries.slice(0, pageSize)}
            rowKey={(entry) => entry.id ?? `${entry.timestamp} ${entry.agent_id} ${JSON.stringify(entry.after)}`}
            columns={auditColumns}
            stale={query.isPlaceholderData}
            page={page}
            onShowAll={isFiltered ? () => void navigate({ search: {} }) : undefined}
            hint="Try a longer time or another action."
            none={
              <EmptyState title="Nothing was changed yet">
                Changes by the console, the command line and the API are recorded here.
              </EmptyState>
            }
          >
            <NumberedPager
              page={page}
              size={pageSize}
              count={entries.length}
              nouns="Entries"
              words={['Newer', 'Older']}
            />
          </ListCard>
        )}
      </Reading>
    </Screen>
  );
}
