import type { Alert } from '@agp/alerts';
import { formatCount, formatDuration } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { alertsQuery, callApi } from '../api/api.ts';
import { usePermissions } from '../api/session.ts';
import { ActButton } from './done.tsx';
import { Reading } from './feedback.tsx';
import { Banner } from './layout.tsx';
import { Pill, TimeAgo, TimeStamp } from './values.tsx';

const tones = { info: 'plain', warning: 'warn', critical: 'bad' } as const;

/** What is over sooner was over when it was told. */
const leastMs = 1_000;

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

/** Whether an alert is open, when it was over and how long it lasted, and who looked after it; a mere notice lasts no time. */
export function AlertState({ of: { state, acknowledged_by, opened_at, resolved_at } }: { of: Alert }) {
  const lasted = resolved_at === null ? 0 : Date.parse(resolved_at) - Date.parse(opened_at);
  return (
    <>
      <Pill tone={({ open: 'bad', acknowledged: 'plain', resolved: 'good' } as const)[state]}>{state}</Pill>
      {resolved_at && ' '}
      {resolved_at && <TimeStamp at={resolved_at} />}
      {lasted >= leastMs && `, after ${formatDuration(lasted)}`}
      {acknowledged_by && ` by ${acknowledged_by}`}
    </>
  );
}

const acknowledge = ({ id }: Alert) => callApi('post', '/api/v1/alerts/{id}/acknowledge', { params: { path: { id } } });

/** Says that somebody looks after all that are open of a page. */
export function AcknowledgeThese({ of }: { of: readonly Alert[] }) {
  const { change } = usePermissions();
  const open = of.filter(({ state }) => state === 'open');
  if (!change || open.length < 2) return null;
  const act = async () => {
    for (const alert of open) await acknowledge(alert);
    return { text: `You look after ${formatCount(open.length)} alerts.` };
  };
  const name = `Acknowledge these ${formatCount(open.length)}`;
  return (
    <ActButton name={name} act={act}>
      {name}
    </ActButton>
  );
}

/** Says that somebody looks after an open alert. */
export function Acknowledge({ of }: { of: Alert }) {
  const { change } = usePermissions();
  if (!change || of.state !== 'open') return null;
  const act = async () => {
    await acknowledge(of);
    return { text: `You look after it: ${of.title}.` };
  };
  return (
    <ActButton name={`Acknowledge ${of.title}`} act={act}>
      Acknowledge
    </ActButton>
  );
}

/** A text of an alert, with its times as every screen has them. */
export const Told = ({ text }: { text: string }) =>
  text
    .split(/(\d{4}-\d\d-\d\d \d\d:\d\d UTC)/)
    .map((part, at) =>
      at % 2 === 0 ? part : <TimeStamp key={part} at={`${part.slice(0, 10)}T${part.slice(11, 16)}:00.000Z`} />,
    );

/** What was told of an agent and is not over; of a block its own banner tells. */
export function AgentAlerts({ id }: { id: string }) {
  return (
    <Reading query={useQuery(alertsQuery({ state: 'unresolved', agent_id: id }))} shape={{ rows: 0 }}>
      {({ data }) =>
        data
          .filter(({ kind }) => kind !== 'change')
          .map((alert) => (
            <Banner key={alert.id} tone={toneOf(alert)}>
              <strong>{alert.path === `/agents/${id}` ? alert.title : <AlertLink of={alert} />}</strong>, since{' '}
              <TimeAgo at={alert.opened_at} />. <Told text={alert.detail} /> <AlertState of={alert} />{' '}
              <Acknowledge of={alert} />
            </Banner>
          ))
      }
    </Reading>
  );
}
