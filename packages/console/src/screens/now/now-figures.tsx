import type { CostUsageEntry, Status } from '@agp/core/contracts';
import { countOf, formatCount, formatDuration } from '@agp/core/explain';
import { Link } from '@tanstack/react-router';
import { CapBar, Outlook, useLastHour } from '../../components/cap-bar.tsx';
import { HourPanels, listFurther } from '../../components/hour-panels.tsx';
import { Stat } from '../../components/layout.tsx';
import { Money, TimeAgo } from '../../components/values.tsx';
import { formatShare, formatShortCount } from '../../format/format.ts';
import type { Window } from '../../search/search.ts';

const unknown = <span className="dim">not known</span>;

interface NowFiguresProps {
  status: Status;
  /** The sum of all in the window. */
  all: CostUsageEntry | undefined;
  from: Window;
}

/** What it cost, how many requests there were and how they went, hour by hour; below, what is mostly quiet. */
export function NowFigures({ status, all, from }: NowFiguresProps) {
  const { requests } = status;
  return (
    <>
      <HourPanels
        from={from}
        isShort={from === '1h'}
        panels={[
          {
            ...{ figure: 'cost', name: 'Cost', value: all ? <Money usd={all.total_cost_usd} /> : unknown },
            note: <Today spend={status.spend} />,
          },
          {
            ...{ figure: 'requests', name: 'Requests' },
            value: requests ? formatShortCount(requests.request_count) : unknown,
            note: requests && <Endings {...requests} />,
          },
          ...listFurther(all),
        ]}
      />
      <Quiet status={status} />
    </>
  );
}

/** How requests ended that did not end well; zeros are not worth a word. */
function Endings({ since, request_count, failed, aborted, killed }: NonNullable<Status['requests']>) {
  if (failed + aborted + killed === 0) return <span className="small dim">none failed</span>;
  return (
    <span className="small">
      {failed > 0 && (
        <Link to="/events" search={{ failed: true, from: since }} className="tone-bad">
          {formatCount(failed)} failed
        </Link>
      )}
      {failed > 0 && ` (${formatShare(failed / request_count)})`}
      {[['aborted', aborted, 'aborted'] as const, ['killed', killed, 'ended by a block'] as const].map(
        ([outcome, count, words]) =>
          count > 0 && (
            <span key={outcome}>
              {' '}
              <Link to="/events" search={{ outcome, from: since }}>
                {formatCount(count)} {words}
              </Link>
            </span>
          ),
      )}
    </span>
  );
}

/** Caps are of UTC days, whatever the window is. */
function Today({ spend }: { spend: Status['spend'] }) {
  const lastHour = useLastHour('all')();
  if (!spend) return null;
  if (spend.daily_cap_usd === null)
    return (
      <span className="small dim">
        <Money usd={spend.spent_usd} /> today (UTC)
      </span>
    );
  return (
    <>
      <CapBar of={spend} whose="all agents" what="today (UTC)" />
      <Outlook of={spend} lastHour={lastHour} line />
    </>
  );
}

const mostReasons = 3;

/** What one looks at only if it is unusual. */
function Quiet({ status: { requests, recording, agents } }: { status: Status }) {
  const from = requests?.since;
  const reasons = requests?.refused_by.slice(0, mostReasons) ?? [];
  const others = (requests?.refused ?? 0) - reasons.reduce((sum, { count }) => sum + count, 0);
  const refused = requests && `${formatShortCount(requests.refused)}${requests.is_more ? '+' : ''}`;
  const lag = recording?.lag_ms ?? null;
  return (
    <div className="stats quiet">
      <Stat name="Refused" figure={requests?.refused === 0 ? <span className="dim">none</span> : (refused ?? unknown)}>
        <span className="small">
          {reasons.map(({ reason, count }, at) => (
            <span key={reason}>
              {at > 0 && ' · '}
              <Link to="/refusals" search={{ reason, from }}>
                {reason.replaceAll('_', ' ')} {formatShortCount(count)}
              </Link>
            </span>
          ))}
          {others > 0 && (
            <>
              {' '}
              and{' '}
              <Link to="/refusals" search={{ from }}>
                {countOf(others, 'other')}
              </Link>
            </>
          )}
        </span>
      </Stat>
      <Stat name="Agents" figure={agents ? `${formatShortCount(agents.active)} active` : unknown}>
        <span className="small">
          {(['blocked', 'retired'] as const).map(
            (name) =>
              agents !== null &&
              agents[name] > 0 && (
                <span key={name}>
                  <Link to="/agents" search={{ status: name }}>
                    {formatCount(agents[name])} {name}
                  </Link>{' '}
                </span>
              ),
          )}
        </span>
      </Stat>
      <Stat
        name="Recording"
        figure={recording ? (lag === null ? 'none yet' : `${formatDuration(lag)} behind`) : unknown}
      >
        {recording && (
          <span className="small dim">
            {lag === null ? 'no event is recorded' : 'last record '}
            {recording.last_recorded_at && <TimeAgo at={recording.last_recorded_at} />}
          </span>
        )}
      </Stat>
    </div>
  );
}
