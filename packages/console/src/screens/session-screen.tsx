import type { Session, SessionEvent } from '@agp/core/contracts';
import { countOf, formatCount, formatDuration, isFailed } from '@agp/core/explain';
import { checkServedChain, type ServedLink } from '@agp/core/lineage';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { apiQuery, callApi } from '../api/api.ts';
import { Cost } from '../components/cost.tsx';
import { EmptyState, FaultBoundary, Reading } from '../components/feedback.tsx';
import { Screen, Stat } from '../components/layout.tsx';
import { List } from '../components/list.tsx';
import { AgentLink, Pill, ShortId, TimeStamp } from '../components/values.tsx';
import { formatShortCount } from '../format/format.ts';
import { ChainCard } from '../verify/chain-card.tsx';
import { type Finding, type Progress, useChainCheck } from '../verify/use-chain-check.ts';
import { ownEventColumns } from './events-screen.tsx';
import { RunCard } from './run-card.tsx';

/**
 * Downloads a session's chain, computes every hash in this browser, compares its end with its head, and each event that the API shows with
 * what the chain has.
 */
async function checkSession(
  session_id: string,
  { signal, run }: Progress,
  onLinks: (links: ServedLink[]) => void,
): Promise<Finding> {
  const params = { path: { session_id } };
  const { data: told } = await callApi('get', '/api/v1/lineage/{session_id}/verify', { params, signal });
  const { data: lineage } = await callApi('get', '/api/v1/lineage/{session_id}', { params, signal });
  const { data: events } = await callApi('get', '/api/v1/events/sessions/{session_id}', { params, signal });
  const { data: removals } = await callApi('get', '/api/v1/lineage/{session_id}/removed', { params, signal });
  const links = lineage.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
  onLinks(links);
  return run(checkServedChain(told, links, { session_id, events, removed: removals.removed }), links.length);
}

/** Up to here the chain is checked without being asked for. */
const mostUnasked = 2_000;

/** @param onLinks called with what was downloaded */
function SessionChain({ session, onLinks }: { session: Session; onLinks: (links: ServedLink[]) => void }) {
  const { id: sessionId, event_count: eventCount } = session;
  const check = useChainCheck((progress) => checkSession(sessionId, progress, onLinks));
  const { start } = check;
  const wanted = useLocation({ select: ({ hash }) => hash === 'chain' });
  const place = useRef<HTMLDivElement>(null);
  const begun = useRef<string | null>(null);
  useEffect(() => {
    if (wanted) place.current?.scrollIntoView();
    if (begun.current === sessionId || (eventCount > mostUnasked && !wanted)) return;
    begun.current = sessionId;
    void start();
  });
  // All that was begun ends with the screen.
  useEffect(() => {
    return () => {
      begun.current = null;
    };
  }, []);
  return (
    <div id="chain" ref={place} style={{ scrollMarginTop: '5rem' }}>
      <ChainCard
        check={check}
        noun="event"
        words={['Verify', 'Verify again']}
        idle={`Downloads ${countOf(eventCount, 'payload')} and computes every hash here.`}
        download={{
          paths: [`/api/v1/lineage/${sessionId}`, `/api/v1/lineage/${sessionId}/removed`],
          name: `${sessionId}.jsonl`,
        }}
      />
    </div>
  );
}

const route = getRouteApi('/sessions/$sessionId');
/** Turns that are drawn at once: a session may have thousands. */
const turnsAtOnce = 100;

const useSessionTurns = (id: string) =>
  useQuery(apiQuery('/api/v1/sessions/{id}', { path: { id }, query: { expand: 'outcome,names' } }));

/** One session: its turns in their order, and its chain, checked in this browser. */
export function SessionScreen() {
  const { sessionId } = route.useParams();
  const [read, setLinks] = useState<{ of: string; links: ServedLink[] } | null>(null);
  const links = read?.of === sessionId ? read.links : null;
  const query = useSessionTurns(sessionId);
  return (
    <Screen
      title="Session"
      about={
        <>
          <ShortId id={sessionId} what="session id" whole />
          <br />
          {query.data && <Head session={query.data.data.session} />}
        </>
      }
    >
      <Reading query={query} shape={{ figures: 3 }}>
        {({ data: { session, events } }) => (
          <>
            <Sums session={session} failed={events.filter(isFailed).length} />
            <SessionChain key={sessionId} session={session} onLinks={(links) => setLinks({ of: sessionId, links })} />
            <div className="grid turns-and-run">
              <Turns session={session} events={events} />
              {links !== null && links.length > 1 && (
                // Somebody may have written anything into a payload.
                <FaultBoundary>
                  <RunCard links={links} />
                </FaultBoundary>
              )}
            </div>
          </>
        )}
      </Reading>
    </Screen>
  );
}

interface TurnsProps {
  session: Session;
  events: readonly SessionEvent[];
}

function Turns({ session, events }: TurnsProps) {
  return (
    <List
      title="Turns"
      aside={
        <span className="dim small">
          {countOf(events.length, 'turn')}, oldest first
          {session.event_count > events.length && (
            <Removed id={session.id} count={session.event_count - events.length} />
          )}
        </span>
      }
      label="Turns"
      rows={events}
      rowKey={({ id }) => id}
      columns={ownEventColumns}
      atOnce={turnsAtOnce}
      more={5 * turnsAtOnce}
      none={<EmptyState title="Its turns were removed for their age">Only hashes are left.</EmptyState>}
    />
  );
}

/** The same beside a list: without its chain. */
export function SessionPeek({ id }: { id: string }) {
  return (
    <Reading query={useSessionTurns(id)} shape={{ figures: 3 }}>
      {({ data: { session, events } }) => (
        <>
          <p className="small" style={{ margin: 0 }}>
            <Head session={session} />
          </p>
          <Sums session={session} failed={events.filter(isFailed).length} />
          <Turns session={session} events={events} />
        </>
      )}
    </Reading>
  );
}

/** How many turns are gone, and since when. */
function Removed({ id, count }: { id: string; count: number }) {
  const { data } = useQuery(apiQuery('/api/v1/lineage/{session_id}/removed', { path: { session_id: id } }));
  const at = data?.data.removed.at(-1)?.removed_at;
  return (
    <>
      ; {formatCount(count)} removed for their age
      {at && (
        <>
          {' '}
          on <TimeStamp at={at} />
        </>
      )}
      , only their last hash is left
    </>
  );
}

function Head({ session }: { session: Session }) {
  return (
    <>
      {session.name && <strong>{session.name} · </strong>}
      <AgentLink id={session.agent_id} name={session.agent_name} />, tag {session.compliance_tag}; began{' '}
      <TimeStamp at={session.started_at} />, last turn <TimeStamp at={session.ended_at} />
    </>
  );
}

function Sums({ session, failed }: { session: Session; failed: number }) {
  return (
    <div className="stats">
      <Stat name="Cost" figure={<Cost usd={session.total_cost_usd} tokens={session.total_tokens} />}>
        <span className="small dim">{formatShortCount(session.total_tokens)} tokens</span>
      </Stat>
      <Stat name="Turns" figure={formatCount(session.event_count)}>
        {failed > 0 && (
          <div>
            <Pill tone="bad">
              {formatCount(failed)} of {formatCount(session.event_count)} failed
            </Pill>
          </div>
        )}
        {session.event_count > 1 && <span className="small dim">in {formatDuration(session.duration_ms)}</span>}
      </Stat>
      <Stat
        name="Personal data"
        figure={session.pii_detected ? <Pill tone="warn">found</Pill> : <span className="dim">none found</span>}
      />
    </div>
  );
}
