import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import type { Session } from '../../api/shapes.ts';
import { Card, Stat } from '../../components/card.tsx';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
import { Money } from '../../components/values/money.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { AgentLink } from '../../components/values/references.tsx';
import { CopyText } from '../../components/values/short-id.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';
import { countOf, formatCount, formatShortCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-time.ts';
import { PrintButton } from '../../print/print-button.tsx';
import { PrintStamp } from '../../print/print-stamp.tsx';
import { ownEventColumns } from '../events/event-columns.tsx';
import { SessionChain } from './session-chain.tsx';

const route = getRouteApi('/sessions/$sessionId');
/** Turns that are drawn at once: a session may have thousands. */
const turnsAtOnce = 100;

/** One session: its turns in their order, and its chain, checked in this browser. */
export function SessionScreen() {
  const { sessionId } = route.useParams();
  const query = useQuery(apiQuery('/api/v1/sessions/{id}', { path: { id: sessionId } }));
  const [shown, setShown] = useState(turnsAtOnce);
  return (
    <Screen
      title="Session"
      about={
        <>
          <span className="mono">{sessionId}</span> <CopyText text={sessionId} what="session id" />
        </>
      }
      actions={<PrintButton />}
    >
      <PrintStamp />
      <Reading query={query}>
        {({ data: { session, events } }) => (
          <>
            <Sums session={session} />
            <SessionChain key={sessionId} sessionId={sessionId} eventCount={session.event_count} />
            <Card
              title="Turns"
              flush
              aside={<span className="dim small">{countOf(events.length, 'turn')}, oldest first</span>}
            >
              <RowsTable
                label="Turns"
                rows={events.slice(0, shown)}
                rowKey={({ id }) => id}
                columns={ownEventColumns.filter(({ head }) => head !== 'Result')}
              />
              {events.length > shown && (
                <div className="pager">
                  <span className="dim">
                    {formatCount(shown)} of {formatCount(events.length)}
                  </span>
                  <Button size="xs" variant="default" onClick={() => setShown(shown + 5 * turnsAtOnce)}>
                    Show more
                  </Button>
                </div>
              )}
            </Card>
          </>
        )}
      </Reading>
    </Screen>
  );
}

function Sums({ session }: { session: Session }) {
  return (
    <div className="stats">
      <Stat name="Agent" figure={<AgentLink id={session.agent_id} name={session.agent_name} />}>
        <span className="small dim" data-print={`tag ${session.compliance_tag}, ${session.agent_id}`}>
          <span>tag {session.compliance_tag}</span>
        </span>
      </Stat>
      <Stat name="Cost" figure={<Money usd={session.total_cost_usd} />}>
        <span className="small dim">{formatShortCount(session.total_tokens)} tokens</span>
      </Stat>
      <Stat name="Turns" figure={formatCount(session.event_count)}>
        <span className="small dim">in {formatDuration(session.duration_ms)}</span>
      </Stat>
      <Stat name="Began" figure={<TimeStamp at={session.started_at} />}>
        <span className="small dim">
          last turn <TimeStamp at={session.ended_at} />
        </span>
      </Stat>
      <Stat
        name="Personal data"
        figure={session.pii_detected ? <Pill tone="warn">found</Pill> : <span className="dim">none found</span>}
      />
    </div>
  );
}
