import type { AgentOverview } from '../../api/shapes.ts';
import { Stat } from '../../components/card.tsx';
import { CapBar } from '../../components/values/cap-bar.tsx';
import { Money } from '../../components/values/money.tsx';
import { TimeAgo, TimeStamp } from '../../components/values/time-stamp.tsx';
import { useNow } from '../../components/values/use-now.ts';
import { formatCount } from '../../format/format-count.ts';
import { formatTime } from '../../format/format-time.ts';
import { projectSpend } from '../../format/project-spend.ts';

/** What it spends, does and may do. */
export function AgentFigures({ overview }: { overview: AgentOverview }) {
  const { agent, budget, running_requests: running } = overview;
  const now = useNow();
  const spent = budget?.spent_usd ?? agent.cost_today_usd;
  const projection = projectSpend(spent, agent.daily_cap_usd, now);
  return (
    <div className="stats">
      <Stat name="Spent today (UTC)" figure={<Money usd={spent} />}>
        <CapBar
          spent={spent}
          reserved={budget?.reserved_usd ?? 0}
          cap={agent.daily_cap_usd}
          warnOnly={agent.warn_only}
          label={`Daily cap of ${agent.name}`}
        />
        {projection.kind === 'runs out' && (
          <div className="small tone-warn">
            At this pace it is used up at {formatTime(new Date(projection.at).toISOString(), now).slice(0, -3)}
          </div>
        )}
      </Stat>
      <Stat name="Requests today (UTC)" figure={formatCount(agent.requests_today)}>
        <span className="small dim">
          {running === null ? 'how many run is not known' : `${formatCount(running)} running now`}
        </span>
      </Stat>
      <Stat
        name="Limit"
        figure={agent.requests_per_minute === null ? 'none' : `${formatCount(agent.requests_per_minute)} a minute`}
      >
        <span className="small dim">
          {agent.requests_per_minute === null ? 'any number of requests a minute' : 'requests in a minute of the clock'}
        </span>
      </Stat>
      <Stat name="Last seen" figure={<TimeAgo at={agent.last_seen_at} />}>
        <span className="small dim">
          from {agent.source_ip}; first <TimeStamp at={agent.created_at} />
        </span>
      </Stat>
    </div>
  );
}
