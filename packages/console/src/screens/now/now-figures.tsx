import { Link } from '@tanstack/react-router';
import type { Status } from '../../api/shapes.ts';
import { Stat } from '../../components/card.tsx';
import { CapBar } from '../../components/values/cap-bar.tsx';
import { Money } from '../../components/values/money.tsx';
import { TimeAgo } from '../../components/values/time-stamp.tsx';
import { useNow } from '../../components/values/use-now.ts';
import { formatCount, formatShortCount } from '../../format/format-count.ts';
import { formatUsd } from '../../format/format-money.ts';
import { formatDuration, formatTime } from '../../format/format-time.ts';
import { projectSpend } from '../../format/project-spend.ts';

const unknown = <span className="dim">not known</span>;

/** The figures that say whether all is well. */
export function NowFigures({ status }: { status: Status }) {
  const { requests, recording, agents } = status;
  const more = requests?.is_more ? '+' : '';
  return (
    <div className="stats">
      <Spend spend={status.spend} />
      <Stat
        name={requests ? `Requests since ${formatTime(requests.since).slice(-8, -3)}` : 'Requests'}
        figure={requests ? formatShortCount(requests.request_count) + more : unknown}
      >
        {requests && (
          <span className="small">
            <Link to="/events" search={{ failed: true }} className={requests.failed > 0 ? 'tone-bad' : undefined}>
              {formatCount(requests.failed)} failed
            </Link>
            {' · '}
            {formatCount(requests.aborted)} aborted · {formatCount(requests.killed)} ended by a block
          </span>
        )}
      </Stat>
      <Stat name="Refused in that time" figure={requests ? formatShortCount(requests.refused) + more : unknown}>
        {requests && (
          <span className="small">
            {requests.refused_by.length === 0 ? (
              <span className="dim">no request was refused</span>
            ) : (
              requests.refused_by.slice(0, 3).map(({ reason, count }, at) => (
                <span key={reason}>
                  {at > 0 && ' · '}
                  <Link to="/refusals" search={{ reason }}>
                    {reason.replaceAll('_', ' ')} {formatShortCount(count)}
                  </Link>
                </span>
              ))
            )}
          </span>
        )}
      </Stat>
      <Stat name="Agents" figure={agents ? formatShortCount(agents.active) : unknown}>
        {agents && (
          <span className="small">
            active ·{' '}
            <Link to="/agents" search={{ status: 'blocked' }}>
              {formatCount(agents.blocked)} blocked
            </Link>{' '}
            ·{' '}
            <Link to="/agents" search={{ status: 'retired' }}>
              {formatCount(agents.retired)} retired
            </Link>
          </span>
        )}
      </Stat>
      <Stat
        name="Recording"
        figure={recording ? (recording.lag_ms === null ? 'none yet' : formatDuration(recording.lag_ms)) : unknown}
      >
        {recording && (
          <span className="small dim">
            {recording.lag_ms === null ? 'no event is recorded' : 'behind; last record '}
            {recording.last_recorded_at && <TimeAgo at={recording.last_recorded_at} />}
          </span>
        )}
      </Stat>
    </div>
  );
}

function Spend({ spend }: { spend: Status['spend'] }) {
  const now = useNow();
  if (!spend) return <Stat name="Spent today (UTC)" figure={unknown} />;
  const { spent_usd, daily_cap_usd, warn_only } = spend;
  const projection = projectSpend(spent_usd, daily_cap_usd, now);
  return (
    <Stat name="Spent today (UTC)" figure={<Money usd={spent_usd} />}>
      <CapBar spent={spent_usd} cap={daily_cap_usd} warnOnly={warn_only} label="Daily cap of all agents" />
      {projection.kind === 'runs out' && (
        <div className="small tone-warn">
          At this pace it is used up at {formatTime(new Date(projection.at).toISOString()).slice(0, -3)}
        </div>
      )}
      {projection.kind === 'safe' && (
        <div className="small dim">At this pace {formatUsd(projection.endOfDayUsd)} by midnight UTC</div>
      )}
    </Stat>
  );
}
