import { Button, Checkbox } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import type { StreamEvent } from '../../api/shapes.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FailureNotice } from '../../components/failure-notice.tsx';
import { LinkedFilter } from '../../components/lists/linked-filter.tsx';
import { NewPill } from '../../components/lists/new-pill.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { Screen } from '../../components/screen.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { formatCount } from '../../format/format-count.ts';
import { useLiveEvents } from '../../live/use-live-events.ts';
import { LiveRows } from './live-rows.tsx';
import { matchEvent } from './match-event.ts';
import type { LiveSearch } from './read-live-search.ts';

const route = getRouteApi('/live');

/** Events as they are recorded, the newest on top. Rows wait while somebody reads further down, or has paused them. */
export function LiveScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { text, pii, agent_id, session_id } = search;
  const matches = useCallback((event: StreamEvent) => matchEvent(event, { text, pii }), [text, pii]);
  const { rows, waiting, perMinute, state, hold } = useLiveEvents({ agent_id, session_id }, matches);
  const [paused, setPaused] = useState(false);
  const scroller = useRef<HTMLElement>(null);
  const isAway = useRef(false);
  const change = (next: Partial<LiveSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const pause = (isPaused: boolean) => {
    setPaused(isPaused);
    hold(isPaused || isAway.current);
  };
  const showNew = () => {
    scroller.current?.scrollTo({ top: 0 });
    isAway.current = false;
    pause(false);
  };
  return (
    <Screen
      title="Live"
      about="Each event at the moment it is recorded. This list keeps the latest 2,000."
      actions={
        <>
          <Pill tone={state.kind === 'open' ? 'good' : state.kind === 'lost' ? 'bad' : 'plain'}>
            {{ open: 'connected', connecting: 'connecting …', lost: 'connection lost, trying again' }[state.kind]}
          </Pill>
          <span className="small dim">{formatCount(perMinute)} a minute</span>
          <Button
            variant="default"
            onClick={() => pause(!paused)}
            leftSection={paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
          >
            {paused ? 'Go on' : 'Hold'}
          </Button>
        </>
      }
    >
      <div className="filters">
        <SearchField
          label="Agent, model or tag"
          placeholder="Has this text in it"
          value={text}
          onChange={(next) => change({ text: next })}
        />
        <Checkbox
          label="Only with personal data"
          checked={pii === true}
          onChange={(event) => change({ pii: event.currentTarget.checked || undefined })}
          mb={8}
        />
        <LinkedFilter name="agent" value={agent_id} onRemove={() => change({ agent_id: undefined })} />
        <LinkedFilter name="session" value={session_id} onRemove={() => change({ session_id: undefined })} />
      </div>
      {state.kind === 'lost' && <FailureNotice error={state.error} />}
      <NewPill count={waiting} onShow={showNew} />
      <div className="card">
        {rows.length === 0 ? (
          <EmptyState title="Waiting for the next event">
            Events appear here as soon as they are recorded. Earlier ones are among the{' '}
            <Link to="/events" search={{ agent_id, session_id }}>
              events
            </Link>
            .
          </EmptyState>
        ) : (
          <LiveRows
            rows={rows}
            scroller={scroller}
            onAway={(away) => {
              if (away === isAway.current) return;
              isAway.current = away;
              hold(paused || away);
            }}
          />
        )}
      </div>
    </Screen>
  );
}
