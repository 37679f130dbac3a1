import type { Session } from '../../api/shapes.ts';
import type { Column } from '../../components/lists/rows-table.tsx';
import { Money } from '../../components/values/money.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { AgentLink, SessionLink } from '../../components/values/references.tsx';
import { TimeAgo, TimeStamp } from '../../components/values/time-stamp.tsx';
import { formatCount, formatShortCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-time.ts';

export const sessionColumns: readonly Column<Session>[] = [
  { head: 'Session', cell: ({ id }) => <SessionLink id={id} /> },
  { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
  { head: 'Began', cell: ({ started_at }) => <TimeStamp at={started_at} /> },
  { head: 'Last turn', cell: ({ ended_at }) => <TimeAgo at={ended_at} /> },
  { head: 'Lasted', right: true, cell: ({ duration_ms }) => formatDuration(duration_ms) },
  { head: 'Turns', right: true, cell: ({ event_count }) => formatCount(event_count) },
  { head: 'Tokens', right: true, cell: ({ total_tokens }) => formatShortCount(total_tokens) },
  { head: 'Cost', right: true, cell: ({ total_cost_usd }) => <Money usd={total_cost_usd} /> },
  { head: 'Tag', cell: ({ compliance_tag }) => compliance_tag },
  {
    head: 'Personal data',
    cell: ({ pii_detected }) => (pii_detected ? <Pill tone="warn">found</Pill> : <span className="dim">none</span>),
  },
];
