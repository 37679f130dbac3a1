import type { CostUsageEntry, Status } from '@agp/core/contracts';
import { countOf, formatCount, formatDuration } from '@agp/core/explain';
import { IconPlayerPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { callApi, defaultWindow, refreshMs, statusQuery, usageQuery } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { CapBar, Outlook } from '../../components/cap-bar.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { EmptyState, Reading } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { Banner, Card, ConnectButton, Screen, Stat } from '../../components/layout.tsx';
import { useFilters } from '../../components/list-screen.tsx';
import { formatQuantile } from '../../components/results.tsx';
import { Money, TimeAgo, TimeStamp } from '../../components/values.tsx';
import { formatShortCount, roundUsd } from '../../format/format.ts';
import { windows } from '../../search/search.ts';
import { DearestCard, HoursCard, IntegrityCard, NowLists, Services } from './now-cards.tsx';

/** What should be looked at, the worst first; nothing if all is well. */
function Attention({ status: { spend, recording, unpriced_models: unpriced } }: { status: Status }) {
  const cap = spend?.daily_cap_usd ?? null;
  const isNear = spend !== null && cap !== null && spend.spent_usd >= 0.8 * cap;
  const isOver = isNear && spend.spent_usd >= cap && !spend.warn_only;
  const near = spend?.agents_near_cap_count ?? 0;
  const waiting = recording?.quarantine_waiting ?? 0;
  const capMatter = isNear && (
    <Banner tone={isOver ? 'bad' : 'warn'}>
      All agents together have spent {roundUsd(spend.spent_usd)} of {roundUsd(cap)} today.{' '}
      <Link to="/budgets">Raise the cap or see who spends</Link>
    </Banner>
  );
  if (!isNear && near === 0 && waiting === 0 && !unpriced?.count) return null;
  return (
    <section aria-label="To look at" style={{ display: 'grid', gap: '0.5rem' }}>
      {isOver && capMatter}
      {waiting > 0 && (
        <Banner tone="bad">
          {countOf(waiting, 'message was', 'messages were')} set aside and not recorded. Look at them with{' '}
          <span className="mono">npm run quarantine</span>.
        </Banner>
      )}
      {!isOver && capMatter}
      {near > 0 && (
        <Banner tone="warn">
          {countOf(near, 'agent has', 'agents have')} spent 80% or more of the daily cap.{' '}
          <Link to="/budgets">Budgets</Link>
        </Banner>
      )}
      {unpriced && unpriced.count > 0 && (
        <Banner tone="warn">
          {countOf(unpriced.count, 'model has', 'models have')} no price: {unpriced.count === 1 ? 'its' : 'their'} calls
          are recorded as $0.{' '}
          <Link to="/costs" search={{ view: 'unpriced' }}>
            Unpriced models
          </Link>
        </Banner>
      )}
    </section>
  );
}

const unknown = <span className="dim">not known</span>;

const mostReasons = 3;

function NowFigures({ status, all }: { status: Status; all: CostUsageEntry | undefined }) {
  const { requests, recording, agents } = status;
  const from = requests?.since;
  const more = requests?.is_more ? '+' : '';
  const reasons = requests?.refused_by.slice(0, mostReasons) ?? [];
  const others = (requests?.refused ?? 0) - reasons.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className="stats">
      <Stat name="Cost" figure={all ? <Money usd={all.total_cost_usd} /> : unknown}>
        {all && <span className="small dim">{formatShortCount(all.total_tokens)} tokens</span>}
      </Stat>
      <Spend spend={status.spend} />
      <Stat name="Requests" figure={requests ? formatShortCount(requests.request_count) : unknown}>
        {requests && (
          <span className="small">
            <Link to="/events" search={{ failed: true, from }} className={requests.failed > 0 ? 'tone-bad' : undefined}>
              {formatCount(requests.failed)} failed
            </Link>
            {' · '}
            {formatCount(requests.aborted)} aborted · {formatCount(requests.killed)} ended by a block
          </span>
        )}
      </Stat>
      <Stat name="Half took less than" figure={all ? formatQuantile(all.p50_ms) : unknown}>
        {all && <span className="small dim">95% less than {formatQuantile(all.p95_ms)}; estimates</span>}
      </Stat>
      <Stat name="Refused" figure={requests ? formatShortCount(requests.refused) + more : unknown}>
        {requests && (
          <span className="small">
            {requests.refused === 0 && <span className="dim">no request was refused</span>}
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

/** Caps are of UTC days, whatever the window is. */
function Spend({ spend }: { spend: Status['spend'] }) {
  if (!spend || spend.daily_cap_usd === null) return null;
  return (
    <Stat name="Spent today (UTC)" figure={<Money usd={spend.spent_usd} />}>
      <CapBar of={spend} whose="all agents" />
      <Outlook of={spend} line />
    </Stat>
  );
}

const route = getRouteApi('/');

/** What goes on: all of it in the window that the reader chose. */
export function NowScreen() {
  const search = route.useSearch();
  const { from = defaultWindow, by = 'agent' } = search;
  const { bind } = useFilters(search);
  const query = useQuery(statusQuery(from));
  const usage = useQuery({ ...usageQuery({ from }, []), refetchInterval: refreshMs });
  const all = usage.data?.data.usage[0];
  return (
    <Screen
      title="Now"
      about={
        query.data && (
          <>
            {query.data.data.requests && (
              <>
                Since <TimeStamp at={query.data.data.requests.since} />, as of{' '}
              </>
            )}
            <TimeStamp at={query.data.data.at} />, refreshed every three seconds
          </>
        )
      }
      actions={
        <>
          <Choice label="Time" options={windows} {...bind('from')} value={from} />
          <PauseButton paused={query.data?.data.pause?.paused} />
        </>
      }
    >
      <Reading query={query}>
        {({ data: status }) => (
          <>
            <Unavailable status={status} />
            <Attention status={status} />
            <FirstStep status={status} />
            <NowFigures status={status} all={all} />
            <NowLists status={status} since={status.requests?.since} />
            <HoursCard from={from} />
            <DearestCard from={from} by={by} all={all} onChange={bind('by').onChange} />
            <div className="grid" style={{ ['--least' as string]: '24rem' }}>
              <Services services={status.services} />
              <IntegrityCard />
            </div>
          </>
        )}
      </Reading>
    </Screen>
  );
}

/** If there is no agent and no request yet: what to do. */
function FirstStep({ status: { agents, recording } }: { status: Status }) {
  if (!agents || agents.active + agents.blocked + agents.retired > 0 || recording?.last_recorded_at !== null)
    return null;
  return (
    <Card>
      <EmptyState title="No agent yet" action={<ConnectButton />}>
        What agents do and spend appears here with the first request through the proxy.
      </EmptyState>
    </Card>
  );
}

function Unavailable({ status }: { status: Status }) {
  if (status.unavailable.length === 0) return null;
  return (
    <Banner role="alert">
      <strong>Not everything could be read.</strong>{' '}
      {status.unavailable.map(({ part, error }) => `${part.replaceAll('_', ' ')}: ${error}`).join('; ')}
    </Banner>
  );
}

function PauseButton({ paused }: { paused: boolean | undefined }) {
  const { change } = usePermissions();
  if (!change || paused === undefined || paused) return null;
  return (
    <ConfirmButton
      button={{ size: 'sm', className: 'tone-bad', leftSection: <IconPlayerPause size={16} aria-hidden /> }}
      title="Pause all agents?"
      verb="Pause all agents"
      danger
      change={(reason) => callApi('put', '/api/v1/pause', { params: { query: { reason } }, body: { paused: true } })}
    >
      Every agent is refused from its next request on, and every running request ends within a second. It stays so until
      somebody resumes them.
    </ConfirmButton>
  );
}
