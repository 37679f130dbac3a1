import { IconPlayerPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { callApi } from '../../api/call-api.ts';
import type { Status } from '../../api/shapes.ts';
import { statusQuery } from '../../api/status-query.ts';
import { Card } from '../../components/card.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { ConnectButton } from '../../components/connect-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';
import { usePermissions } from '../../session/session-context.ts';
import { Attention } from './attention.tsx';
import { DayChartCard } from './day-chart-card.tsx';
import { IntegrityCard } from './integrity-card.tsx';
import { NowFigures } from './now-figures.tsx';
import { NowLists } from './now-lists.tsx';
import { Services } from './services.tsx';

/** What goes on at this moment: one read, which the header shares. */
export function NowScreen() {
  const query = useQuery(statusQuery);
  return (
    <Screen
      title="Now"
      about={
        query.data && (
          <>
            As of <TimeStamp at={query.data.data.at} />, refreshed every three seconds
          </>
        )
      }
      actions={<PauseButton paused={query.data?.data.pause?.paused} />}
    >
      <Reading query={query}>
        {({ data: status }) => (
          <>
            <Unavailable status={status} />
            <Attention status={status} />
            <FirstStep status={status} />
            <NowFigures status={status} />
            <DayChartCard />
            <NowLists status={status} />
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

/** Where there is no agent and no request yet: what to do. */
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
    <div className="banner" role="alert">
      <div>
        <strong>Not everything could be read.</strong>{' '}
        {status.unavailable.map(({ part, error }) => `${part.replaceAll('_', ' ')}: ${error}`).join('; ')}
      </div>
    </div>
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
