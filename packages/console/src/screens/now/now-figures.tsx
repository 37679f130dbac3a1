import type { CostUsageEntry, Status } from '@agp/core/contracts';
import { countOf, formatCount } from '@agp/core/explain';
import { Link } from '@tanstack/react-router';
import { HourPanels, listPanels } from '../../charts/hour-panels.tsx';
import { CapOutlook } from '../../components/cap-bar.tsx';
import { Cost } from '../../components/cost.tsx';
import { Stat } from '../../components/layout.tsx';
import { PiiLinks } from '../../components/values.tsx';
import { formatShortCount } from '../../format/format.ts';
import type { Window } from '../../search/search.ts';

const unknown = <span className="dim">not known</span>;

/** What it cost, how many requests there were and how they went, hour by hour; below, what is mostly quiet. */
export function NowFigures({ status, all, from }: { status: Status; all: CostUsageEntry | undefined; from: Window }) {
  const { requests, spend } = status;
  return (
    <>
      <HourPanels
        from={from}
        panels={[
          {
            ...{
              figure: 'cost',
              name: 'Cost',
              value: all ? <Cost usd={all.total_cost_usd} tokens={all.total_tokens} /> : unknown,
            },
            // Caps are of UTC days, whatever the window is.
            note: spend?.daily_cap_usd != null && (
              <CapOutlook of={spend} whose="all agents" what="today (UTC)" pace="all" />
            ),
          },
          ...listPanels(all, { from: requests?.since }, tellOthers(requests)),
        ]}
      />
      <Quiet status={status} />
    </>
  );
}

/** Zeros are not worth a word. */
function tellOthers(requests: Status['requests']): string {
  const { aborted = 0, killed = 0 } = requests ?? {};
  const others = [[aborted, 'aborted'] as const, [killed, 'ended by a block'] as const];
  return others.map(([count, words]) => (count > 0 ? ` · ${formatCount(count)} ${words}` : '')).join('');
}

const mostReasons = 3;

/** What one looks at only if it is unusual. */
function Quiet({ status: { requests, agents, pii } }: { status: Status }) {
  const from = requests?.since;
  const reasons = requests?.refused_by.slice(0, mostReasons) ?? [];
  const others = (requests?.refused ?? 0) - reasons.reduce((sum, { count }) => sum + count, 0);
  const refused = requests && `${formatShortCount(requests.refused)}${requests.is_more ? '+' : ''}`;
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
        name="Personal data"
        figure={pii ? <PiiLinks findings={pii} search={{ from }} none="none found" /> : unknown}
      />
    </div>
  );
}
