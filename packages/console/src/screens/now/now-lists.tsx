import { Link } from '@tanstack/react-router';
import type { Status } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { CapBar } from '../../components/values/cap-bar.tsx';
import { Money } from '../../components/values/money.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { TimeAgo } from '../../components/values/time-stamp.tsx';
import { formatCount } from '../../format/format-count.ts';

function AgentName({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/agents/$agentId" params={{ agentId: id }}>
      {name}
    </Link>
  );
}

/** Who spends, who is near the cap, who is blocked, and what personal data went through today. */
export function NowLists({ status }: { status: Status }) {
  const { top_spenders: spenders, spend, agents, pii_today: pii } = status;
  return (
    <div className="grid" style={{ ['--least' as string]: '24rem' }}>
      {spenders && spenders.length > 0 && (
        <Card
          title="Top spenders today"
          flush
          aside={
            <Link to="/costs" search={{ by: 'agent', from: 'today' }} className="small">
              Costs
            </Link>
          }
        >
          <RowsTable
            label="Top spenders today"
            rows={spenders}
            rowKey={({ agent_id }) => agent_id}
            columns={[
              { head: 'Agent', cell: (row) => <AgentName id={row.agent_id} name={row.agent_name} /> },
              { head: 'Cost', right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
              { head: 'Requests', right: true, cell: ({ request_count }) => formatCount(request_count) },
            ]}
          />
        </Card>
      )}
      {spend && spend.agents_near_cap.length > 0 && (
        <Card
          title="Near their cap"
          flush
          aside={
            <Link to="/budgets" className="small">
              Budgets
            </Link>
          }
        >
          <RowsTable
            label="Agents near their cap"
            rows={spend.agents_near_cap}
            rowKey={({ agent_id }) => agent_id}
            columns={[
              { head: 'Agent', cell: (row) => <AgentName id={row.agent_id} name={row.agent_name} /> },
              {
                head: 'Spent of cap',
                cell: (row) => (
                  <CapBar
                    spent={row.spent_usd}
                    cap={row.daily_cap_usd}
                    warnOnly={row.warn_only}
                    label={`Daily cap of ${row.agent_name}`}
                  />
                ),
              },
            ]}
          />
        </Card>
      )}
      {agents && agents.latest_blocked.length > 0 && (
        <Card
          title="Blocked"
          flush
          aside={
            <Link to="/agents" search={{ status: 'blocked' }} className="small">
              All {formatCount(agents.blocked)}
            </Link>
          }
        >
          <RowsTable
            label="Latest blocked agents"
            rows={agents.latest_blocked}
            rowKey={({ agent_id }) => agent_id}
            columns={[
              { head: 'Agent', cell: (row) => <AgentName id={row.agent_id} name={row.agent_name} /> },
              { head: 'Changed', right: true, cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
            ]}
          />
        </Card>
      )}
      {pii && (
        <Card title="Personal data today">
          {pii.length === 0 ? (
            <span className="dim">None was found in today’s requests.</span>
          ) : (
            <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.5rem' }}>
              {pii.map(({ type, event_count }) => (
                <Link key={type} to="/events" search={{ pii_type: type, from: 'today' }}>
                  <Pill tone="warn">
                    {type.replaceAll('_', ' ')} {formatCount(event_count)}
                  </Pill>
                </Link>
              ))}
            </div>
          )}
        </Card>
      )}
    </div>
  );
}
