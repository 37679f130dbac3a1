import type { Alert } from '@agp/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { alertsQuery, callApi } from '../api/api.ts';
import { usePermissions } from '../api/session.ts';
import { ActButton } from './done.tsx';
import { Reading } from './feedback.tsx';
import { Banner } from './layout.tsx';
import { Pill, TimeAgo, TimeStamp } from './values.tsx';

const tones = { info: 'plain', warning: 'warn', critical: 'bad' } as const;

export const toneOf = ({ severity }: Pick<Alert, 'severity'>) => tones[severity];

export function Severity({ of }: { of: Pick<Alert, 'severity'> }) {
  return <Pill tone={toneOf(of)}>{of.severity}</Pill>;
}

/** An alert's title, which leads to what it is about. */
export function AlertLink({ of: { title, path } }: { of: Pick<Alert, 'title' | 'path'> }) {
  const { pathname, searchParams, hash } = new URL(path, window.location.origin);
  return (
    <Link to={pathname as '/'} search={Object.fromEntries(searchParams)} hash={hash.slice(1)}>
      {title}
    </Link>
  );
}

/** Whether an alert is open, when it was over, and who looked after it. */
export function AlertState({ of: { state, acknowledged_by, resolved_at } }: { of: Alert }) {
  return (
    <>
      <Pill tone={({ open: 'bad', acknowledged: 'plain', resolved: 'good' } as const)[state]}>{state}</Pill>
      {resolved_at && ' '}
      {resolved_at && <TimeStamp at={resolved_at} />}
      {acknowledged_by && ` by ${acknowledged_by}`}
    </>
  );
}

/** Says that somebody looks after an open alert. */
export function Acknowledge({ of: { id, title, state } }: { of: Alert }) {
  const { change } = usePermissions();
  if (!change || state !== 'open') return null;
  const acknowledge = async () => {
    await callApi('post', '/api/v1/alerts/{id}/acknowledge', { params: { path: { id } } });
    return { text: `You look after it: ${title}.` };
  };
  return (
    <ActButton name={`Acknowledge ${title}`} act={acknowledge}>
      Acknowledge
    </ActButton>
  );
}

/** What was told of an agent and is not over. */
export function AgentAlerts({ id }: { id: string }) {
  return (
    <Reading query={useQuery(alertsQuery({ state: 'unresolved', agent_id: id }))} shape={{ rows: 0 }}>
      {({ data }) =>
        data.map((alert) => (
          <Banner key={alert.id} tone={toneOf(alert)}>
            <strong>{alert.path === `/agents/${id}` ? alert.title : <AlertLink of={alert} />}</strong>, since{' '}
            <TimeAgo at={alert.opened_at} />. {alert.detail} <AlertState of={alert} /> <Acknowledge of={alert} />
          </Banner>
        ))
      }
    </Reading>
  );
}
