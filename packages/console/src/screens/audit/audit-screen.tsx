import type { ListedAuditEntry } from '@agp/core/contracts';
import { formatUtc } from '@agp/core/explain';
import { shortenId } from '@agp/core/text';
import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { apiQuery, refreshMs } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { EmptyState } from '../../components/feedback.tsx';
import { AgentField, Choice, TimeRange } from '../../components/filters.tsx';
import type { Column } from '../../components/list.tsx';
import { ListScreen, pageQuery, pageSize, useFilters } from '../../components/list-screen.tsx';
import { AgentLink, MinuteStamp, Pill, ShortId, TimeStamp } from '../../components/values.tsx';
import { actionNames, formatFullTime, nameAction, nameActor, sumsUpMinute, tellChange } from '../../format/format.ts';
import { compact, timeSpans } from '../../search/search.ts';
import { AuditChain } from '../../verify/chain-card.tsx';

function About({ agent_id, agent_name, target }: ListedAuditEntry) {
  if (agent_id) return <AgentLink id={agent_id} name={agent_name} />;
  return target === null ? (
    <span className="dim">–</span>
  ) : (
    <span title={target} data-print={target} className="mono nowrap">
      <span>{shortenId(target, 4)}</span>
    </span>
  );
}

const auditColumns: readonly Column<ListedAuditEntry>[] = [
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
  { head: 'Change', cell: (entry) => <div className="small text-cell">{tellChange(entry)}</div> },
  { head: 'Why', cell: ({ reason }) => reason ?? <span className="dim">–</span> },
  {
    head: 'Hash',
    cell: ({ lineage_hash }) =>
      lineage_hash === null ? <span className="dim">open</span> : <ShortId id={lineage_hash} what="hash" ends={4} />,
  },
];

/** Prints the screen as it is: what is shortened or hidden on it is whole on paper. */
function PrintButton() {
  return (
    <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
      Print
    </Button>
  );
}

/** On paper: when, by whom and from where it was printed, and what was left out. */
function PrintStamp({ children }: { children: ReactNode }) {
  const { name } = useSession();
  const [at, setAt] = useState(() => new Date().toISOString());
  useEffect(() => {
    // The browser takes the page as it is when this returns.
    const stamp = () => flushSync(() => setAt(new Date().toISOString()));
    window.addEventListener('beforeprint', stamp);
    return () => window.removeEventListener('beforeprint', stamp);
  }, []);
  return (
    <p className="only-print small" data-testid="printed">
      Printed {formatFullTime(at)} ({formatUtc(at)}) by {name} from {window.location.host}
      {children}
    </p>
  );
}

const describeFilter = (filter: object): string =>
  Object.entries(compact(filter))
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .join(', ');

const route = getRouteApi('/audit');

const actions = Object.entries(actionNames).map(([value, label]) => ({ value, label }));

export function AuditScreen() {
  const { filter, change, bind, ...at } = useFilters(route.useSearch());
  const query = useQuery({
    ...apiQuery('/api/v1/audit', { query: { ...filter, ...pageQuery(at.page), expand: 'agent' } as never }),
    ...(at.isFirst && { refetchInterval: refreshMs }),
  });
  return (
    <ListScreen
      title="Audit log"
      about="Every change with who made it and why, and every refused request: one chain of hashes"
      actions={<PrintButton />}
      filters={
        <>
          <TimeRange label="Time" none="All" spans={timeSpans} from={filter.from} to={filter.to} onChange={change} />
          <Choice label="Action" none="All" options={actions} {...bind('action')} />
          <AgentField {...bind('agent_id')} />
        </>
      }
      label="Entries of the audit log"
      nouns={['entry', 'entries']}
      query={query}
      at={at}
      rowKey={(entry) => entry.id ?? `${entry.timestamp} ${entry.agent_id} ${JSON.stringify(entry.after)}`}
      columns={auditColumns}
      numbered={['Newer', 'Older']}
      hint="Try a longer time or another action."
      none={
        <EmptyState title="Nothing was changed yet">
          Changes by the console, the command line and the API are recorded here.
        </EmptyState>
      }
    >
      <PrintStamp>
        {at.showAll && `; only entries with ${describeFilter(filter)}`}
        {(!at.isFirst || (query.data?.data.length ?? 0) > pageSize) && '; one page of several'}
      </PrintStamp>
      <AuditChain />
    </ListScreen>
  );
}
