import type { AuditEntry } from '../../api/shapes.ts';
import type { Column } from '../../components/lists/rows-table.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { AgentLink } from '../../components/values/references.tsx';
import { ShortId } from '../../components/values/short-id.tsx';
import { MinuteStamp, TimeStamp } from '../../components/values/time-stamp.tsx';
import { describeChange, nameAction, nameActor, sumsUpMinute } from '../../explain/describe-change.ts';
import { shortenId } from '../../format/shorten-id.ts';

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
export const auditColumns: readonly Column<AuditEntry>[] = [
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
