import { Link } from '@tanstack/react-router';
import type { Agent } from '../../api/shapes.ts';
import { ChangeStatus } from '../../changes/change-status.tsx';
import type { Column } from '../../components/lists/rows-table.tsx';
import { CapBar } from '../../components/values/cap-bar.tsx';
import { Money } from '../../components/values/money.tsx';
import { Pill, StatusPill } from '../../components/values/pill.tsx';
import { TimeAgo } from '../../components/values/time-stamp.tsx';
import { formatCount } from '../../format/format-count.ts';

/** A retired agent that sent something today, UTC: somebody believes that it is gone. */
function isRetiredButSending({ status, requests_today }: Agent): boolean {
  return status === 'retired' && (requests_today ?? 0) > 0;
}

function Pii({ kinds }: { kinds: readonly string[] }) {
  if (kinds.length === 0) return <span className="dim">none</span>;
  const more = kinds.length - 2;
  return (
    <span title={kinds.join(', ')}>
      <Pill tone="warn">
        {kinds.slice(0, 2).join(', ').replaceAll('_', ' ')}
        {more > 0 && ` +${more}`}
      </Pill>
    </span>
  );
}

/** @param mayChange whether whoever looks may block and unblock */
export function agentColumns(mayChange: boolean): Column<Agent>[] {
  const columns: Column<Agent>[] = [
    {
      head: 'Agent',
      cell: ({ id, name }) => (
        <Link to="/agents/$agentId" params={{ agentId: id }}>
          {name}
        </Link>
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
    { head: 'Last seen', cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
    { head: 'Requests today', right: true, cell: ({ requests_today }) => formatCount(requests_today ?? 0) },
    { head: 'Cost today', right: true, cell: ({ cost_today_usd }) => <Money usd={cost_today_usd ?? 0} /> },
    {
      head: 'Of its cap',
      cell: ({ name, cost_today_usd, daily_cap_usd, warn_only }) => (
        <div style={{ minWidth: '7rem' }}>
          <CapBar
            spent={cost_today_usd ?? 0}
            cap={daily_cap_usd ?? null}
            warnOnly={warn_only}
            label={`Daily cap of ${name}`}
            bare
          />
        </div>
      ),
    },
    { head: 'Personal data today', cell: ({ pii_today }) => <Pii kinds={pii_today ?? []} /> },
  ];
  if (!mayChange) return columns;
  return [
    ...columns,
    {
      head: 'Action',
      silent: true,
      right: true,
      cell: (agent) => <ChangeStatus agent={agent} to={agent.status === 'blocked' ? 'active' : 'blocked'} size="xs" />,
    },
  ];
}
