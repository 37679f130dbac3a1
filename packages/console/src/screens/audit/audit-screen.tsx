import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api.ts';
import type { AuditEntry } from '../../api/shapes.ts';
import { EmptyState, Reading } from '../../components/feedback.tsx';
import { Choice, LinkedFilter, TimeRange } from '../../components/filters.tsx';
import { Screen } from '../../components/layout.tsx';
import { type Column, ListCard, NumberedPager } from '../../components/list.tsx';
import { AgentLink, MinuteStamp, Pill, ShortId, TimeStamp } from '../../components/values.tsx';
import { actionNames, describeChange, nameAction, nameActor, sumsUpMinute } from '../../format/describe-change.ts';
import { shortenId } from '../../format/format.ts';
import { describeFilter, PrintButton, PrintStamp } from '../../print/print.tsx';
import type { AuditSearch } from '../../search/screen-searches.ts';
import { timeSpans } from '../../search/search.ts';
import { AuditChain } from './audit-chain.tsx';

function About({ agent_id, agent_name, target }: AuditEntry) {
  if (agent_id) return <AgentLink id={agent_id} name={agent_name} />;
  return target === null ? (
    <span className="dim">–</span>
  ) : (
    <span title={target} data-print={target} className="mono nowrap">
      <span>{shortenId(target, 4)}</span>
    </span>
  );
}

/** Of the audit log. */
const auditColumns: readonly Column<AuditEntry>[] = [
  {
    head: 'No.',
    cell: ({ seq }) =>
      seq ?? (
        <span className="dim" title="It joins the chain when its minute is over">
          open
        </span>
      ),
  },
  {
    head: 'Time',
    cell: ({ action, timestamp }) =>
      sumsUpMinute(action) ? <MinuteStamp at={timestamp} /> : <TimeStamp at={timestamp} />,
  },
  {
    head: 'Who',
    cell: ({ actor, source_ip }) => (
      <div>
        {nameActor(actor)}
        {source_ip !== null && <div className="dim small">from {source_ip}</div>}
      </div>
    ),
  },
  {
    head: 'What',
    cell: (entry) => (
      <Pill tone={entry.action === 'request.refused' ? 'warn' : 'plain'}>{nameAction(entry.action)}</Pill>
    ),
  },
  { head: 'About', cell: (entry) => <About {...entry} /> },
  { head: 'Change', cell: (entry) => <div className="small text-cell">{describeChange(entry)}</div> },
  { head: 'Why', cell: ({ reason }) => reason ?? <span className="dim">–</span> },
  {
    head: 'Hash',
    cell: ({ lineage_hash }) =>
      lineage_hash === null ? <span className="dim">open</span> : <ShortId id={lineage_hash} what="hash" ends={4} />,
  },
];

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
