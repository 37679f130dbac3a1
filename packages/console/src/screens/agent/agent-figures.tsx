import type { AgentOverview } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { refreshMs, usageQuery } from '../../api/api.ts';
import { HourPanels, listPanels } from '../../charts/hour-panels.tsx';
import { CapOutlook, capOf, NoRoom } from '../../components/cap-bar.tsx';
import { Stat } from '../../components/layout.tsx';
import { Money, TimeAgo, TimeStamp } from '../../components/values.tsx';

/** The last day, as the API takes it. */
const from = '24h';

/** What an agent spent, asked and waited for, hour by hour; below, what holds for it. */
export function AgentFigures({ overview }: { overview: AgentOverview }) {
  const { agent, budget, running_requests: running } = overview;
  const capped = budget ?? capOf(agent);
  const { data } = useQuery({ ...usageQuery({ from, agent_id: agent.id }, []), refetchInterval: refreshMs });
  const { usage: [all] = [], from: since } = data?.data ?? {};
  return (
    <>
      <HourPanels
        from={from}
        of={{ agent_id: agent.id }}
        panels={[
          {
            ...{ figure: 'cost', name: 'Spent today (UTC)', value: <Money usd={capped.spent_usd ?? 0} /> },
            note: (
              <>
                <CapOutlook of={capped} whose={agent.name} pace={{ agent_id: agent.id }} />{' '}
                <NoRoom since={overview.no_room_since} />
              </>
            ),
          },
          ...listPanels(
            all,
            { agent_id: agent.id, from: since ?? undefined },
            running ? ` · ${formatCount(running)} running now` : '',
            ', last 24 h',
          ),
        ]}
      />
      <div className="stats quiet">
        <Stat name="Requests today (UTC)" figure={formatCount(agent.requests_today)} />
        <Stat
          name="Limit"
          figure={agent.requests_per_minute === null ? 'none' : `${formatCount(agent.requests_per_minute)} a minute`}
        />
        <Stat name="Last seen" figure={<TimeAgo at={agent.last_seen_at} />}>
          <span className="small dim">
            from {agent.source_ip}; first <TimeStamp at={agent.created_at} />
          </span>
        </Stat>
      </div>
    </>
  );
}
