import type { ListedAuditEntry } from '@agp/core/contracts';
import { countOf, formatUtc, nameChanged } from '@agp/core/explain';
import { shortenId } from '@agp/core/text';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { apiQuery, refreshMs } from '../../api/api.ts';
import { usePermissions, useSession, useView } from '../../api/session.ts';
import { CopyAs, CsvButton, PrintButton } from '../../components/export.tsx';
import { EmptyState } from '../../components/feedback.tsx';
import { Choice, SearchField } from '../../components/filters.tsx';
import { AgentField } from '../../components/known-fields.tsx';
import type { Column } from '../../components/list.tsx';
import { ListScreen } from '../../components/list-screen.tsx';
import { pageQuery, pageSize } from '../../components/pager.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { useFilters } from '../../components/use-filters.tsx';
import { AgentLink, MinuteStamp, Pill, ShortId, TimeStamp } from '../../components/values.tsx';
import { EvidenceButton } from '../../evidence/evidence-button.tsx';
import { actionNames, formatFullTime, nameActor, nameEntry, sumsUpMinute, tellChange } from '../../format/format.ts';
import { compact, timeSpans } from '../../search/search.ts';
import { AuditChain } from '../../verify/chain-card.tsx';

/** An entry; refusals of a minute that differ in their agents alone are one row. */
interface Row extends ListedAuditEntry {
  /** How many entries it stands for, and the number of the first one. */
  folded: number;
  firstSeq: number | null;
}

function fold(entries: readonly ListedAuditEntry[]): Row[] {
  const rows = new Map<string, Row>();
  for (const entry of entries) {
    const reasons = entry.after?.reasons as Readonly<Record<string, number>> | undefined;
    const isRefused = entry.action === 'request.refused' && reasons !== undefined;
    const key = isRefused ? `${entry.timestamp} ${Object.keys(reasons).sort()}` : `${entry.id} ${rows.size}`;
    const row = rows.get(key);
    if (row === undefined) rows.set(key, { ...entry, folded: 1, firstSeq: entry.seq });
    else {
      const sums = { ...(row.after?.reasons as Record<string, number>) };
      for (const [reason, count] of Object.entries(reasons ?? {})) sums[reason] = (sums[reason] ?? 0) + count;
      const more = { after: { reasons: sums }, count: row.count + entry.count, firstSeq: entry.seq };
      rows.set(key, { ...row, ...more, folded: row.folded + 1, seq: row.seq ?? entry.seq });
    }
  }
  return [...rows.values()];
}

function About({ agent_id, agent_name, target, folded, action, ...states }: Row) {
  if (folded > 1) return <span className="dim">{countOf(folded, 'entry', 'entries')}</span>;
  if (agent_id) return <AgentLink id={agent_id} name={agent_name} />;
  if (target === null) return <span className="dim">–</span>;
  const name = nameChanged(states);
  if (name !== null && /^policy\.(?:create|update)$/.test(action))
    return (
      <Link to="/policies/$policyId" params={{ policyId: target }} title={target}>
        {name}
      </Link>
    );
  if (name !== null)
    return (
      <span title={target} data-print={`${name} (${target})`}>
        <span>{name}</span>
      </span>
    );
  return (
    <span title={target} data-print={target} className="mono nowrap">
      <span>{shortenId(target, 4)}</span>
    </span>
  );
}

const auditColumns: readonly Column<Row>[] = [
  {
    head: 'No.',
    cell: ({ seq, firstSeq, folded }) =>
      seq === null ? (
        <span className="dim" title="It joins the chain when its minute is over">
          open
        </span>
      ) : folded > 1 && firstSeq !== null ? (
        `${firstSeq}–${seq}`
      ) : (
        seq
      ),
  },
  {
    head: 'Time',
    cell: ({ action, timestamp }) =>
      sumsUpMinute(action) ? <MinuteStamp at={timestamp} /> : <TimeStamp at={timestamp} />,
  },
  {
    head: 'Who',
    cell: ({ actor, source_ip }) => {
      const whole = `${nameActor(actor)}${source_ip === null ? '' : ` from ${source_ip}`}`;
      return (
        <span className="nowrap" title={whole} data-print={whole}>
          <span>{nameActor(actor)}</span>
        </span>
      );
    },
  },
  {
    head: 'What',
    lead: true,
    cell: (entry) => <Pill tone={entry.action === 'request.refused' ? 'warn' : 'plain'}>{nameEntry(entry)}</Pill>,
  },
  { head: 'About', cell: (entry) => <About {...entry} /> },
  {
    head: 'Change',
    cell: (entry) => (
      <div className="small text-cell">
        {tellChange(entry)}
        {entry.reason && <div>“{entry.reason}”</div>}
      </div>
    ),
  },
  {
    head: 'Hash',
    wide: true,
    cell: ({ lineage_hash, folded }) =>
      lineage_hash === null ? (
        <span className="dim">open</span>
      ) : folded > 1 ? (
        <span className="dim">each its own</span>
      ) : (
        <ShortId id={lineage_hash} what="hash" ends={4} />
      ),
  },
];

/** On paper: when, by whom and from where it was printed, and what was left out. */
function PrintStamp({ children }: { children: ReactNode }) {
  const { name } = useSession();
  const view = useView();
  const [at, setAt] = useState(() => new Date().toISOString());
  // The browser takes the page as it is when this returns.
  useWindowEvent('beforeprint', () => flushSync(() => setAt(new Date().toISOString())));
  return (
    <p className="only-print small" data-testid="printed">
      Printed {formatFullTime(at)} ({formatUtc(at)}) by {name} from {window.location.host}
      {view && `, of the view ${view}`}
      {children}
    </p>
  );
}

const describeFilter = (filter: object): string =>
  Object.entries(compact(filter))
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .join(', ');

const route = getRouteApi('/audit');

const known = Object.keys(actionNames);
const begin = (...prefixes: string[]) => known.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
const everything = 'all';
const changes = known.filter((name) => !/^(?:request|events|console)\./.test(name)).join(',');
const actions = {
  [everything]: 'Everything',
  [begin('request.').join(',')]: 'Requests refused',
  [begin('policy.').join(',')]: 'All of policies',
  [begin('budget.', 'limit.').join(',')]: 'All of caps and limits',
  [begin('key.', 'agent_token.', 'name.').join(',')]: 'All of keys and tokens',
  [begin('console.').join(',')]: 'All sign-ins',
  ...actionNames,
};

export function AuditScreen() {
  const { filter, change, bind, ...at } = useFilters(route.useSearch());
  const { agent_id, from, to } = filter;
  const { chainOfAll } = usePermissions();
  const asked = { ...filter, action: filter.action === everything ? undefined : (filter.action ?? changes) };
  const query = useQuery({
    ...apiQuery('/api/v1/audit', { query: { ...asked, ...pageQuery(at.page), expand: 'agent' } as never }),
    ...(at.isFirst && { refetchInterval: refreshMs }),
  });
  return (
    <ListScreen
      title="Audit log"
      about="Every change with who made it and why, and every refused request: one chain of hashes"
      actions={
        <>
          <EvidenceButton
            of={{ whose: agent_id === undefined ? 'all' : 'agent', agent_id, from, to }}
            at="export-evidence"
          />
          <CopyAs path="/api/v1/audit" query={asked} command="audit list" />
          <CsvButton
            path="/api/v1/audit"
            query={{ ...asked, limit: 1_000, expand: 'agent' }}
            name="audit"
            title="The latest 1,000"
          />
          <PrintButton />
        </>
      }
      filters={
        <>
          <TimeRange label="Time" none="All" spans={timeSpans} from={from} to={to} onChange={change} />
          <Choice label="Action" none="By people" options={actions} {...bind('action')} />
          <AgentField {...bind('agent_id')} />
          <SearchField
            label="Who"
            options={[...new Set(query.data?.data.map(({ actor }) => nameActor(actor)))].map((name) => [name])}
            {...bind('actor')}
          />
        </>
      }
      label="Entries of the audit log"
      nouns={['entry', 'entries']}
      query={query}
      arrange={fold}
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
        {`; ${describeFilter({ ...filter, action: filter.action ?? 'changes by people' })}`}
        {(!at.isFirst || (query.data?.data.length ?? 0) > pageSize) && '; one page of several'}
      </PrintStamp>
      {chainOfAll && (
        <div className="last-narrow">
          <AuditChain />
        </div>
      )}
    </ListScreen>
  );
}
