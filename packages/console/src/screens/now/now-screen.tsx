import type { Status } from '@agp/core/contracts';
import { IconPlayerPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { callApi, defaultWindow, refreshMs, statusQuery, usageQuery } from '../../api/api.ts';
import { usePermissions, useView } from '../../api/session.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { EmptyState, Reading } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { Banner, Card, ConnectButton, Screen } from '../../components/layout.tsx';
import { useFilters } from '../../components/use-filters.tsx';
import { TimeStamp } from '../../components/values.tsx';
import { windows } from '../../search/search.ts';
import { DearestCard, NowLists } from './now-cards.tsx';
import { NowFigures } from './now-figures.tsx';
import { Problems } from './problems.tsx';

const route = getRouteApi('/');

/** What goes on: all of it in the window that the reader chose. */
export function NowScreen() {
  const search = route.useSearch();
  const { from = defaultWindow, by = 'agent', order = 'cost' } = search;
  const { bind, change } = useFilters(search);
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
            <TimeStamp at={query.data.data.at} />
            {query.isError ? ', not refreshed since' : ', refreshed every three seconds'}
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
      <Reading query={query} shape={{ panels: 4, rows: 6 }}>
        {({ data: status }) => (
          <>
            <Unavailable status={status} />
            <Problems status={status} />
            <FirstStep status={status} />
            <NowFigures status={status} all={all} from={from} />
            <DearestCard from={from} by={by} order={order} all={all} onChange={change} />
            <NowLists status={status} />
          </>
        )}
      </Reading>
    </Screen>
  );
}

/** If there is no agent and no request yet: what to do. */
function FirstStep({ status: { agents, recording } }: { status: Status }) {
  const view = useView();
  if (!agents || agents.active + agents.blocked + agents.retired > 0 || recording?.last_recorded_at) return null;
  return (
    <Card>
      <EmptyState title="No agent yet" action={<ConnectButton />}>
        What agents {view && `with ${view} `}do and spend appears here with the first request through the proxy.
      </EmptyState>
    </Card>
  );
}

/** Parts that a team is not told. */
const ofInstallation = ['recording', 'services'];

function Unavailable({ status }: { status: Status }) {
  const view = useView();
  const lacking = status.unavailable.filter(({ part }) => view === null || !ofInstallation.includes(part));
  if (lacking.length === 0) return null;
  return (
    <Banner role="alert">
      <strong>Not everything could be read.</strong>{' '}
      {lacking.map(({ part, error }) => `${part.replaceAll('_', ' ')}: ${error}`).join('; ')}
    </Banner>
  );
}

function PauseButton({ paused }: { paused: boolean | undefined }) {
  const { pause } = usePermissions();
  if (!pause || paused) return null;
  return (
    <ConfirmButton
      button={{ size: 'sm', className: 'tone-bad', leftSection: <IconPlayerPause size={16} aria-hidden /> }}
      at="pause"
      title="Pause all agents?"
      verb="Pause all agents"
      done="All agents are paused: each next request is refused."
      danger
      change={(reason) => callApi('put', '/api/v1/pause', { params: { query: { reason } }, body: { paused: true } })}
    >
      Every agent is refused from its next request on, and every running request ends within a second. It stays so until
      somebody resumes them.
    </ConfirmButton>
  );
}
