import type { Alert } from '@agp/alerts';
import type { Status } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { alertsQuery, mostOpen } from '../../api/api.ts';
import { Acknowledge, AlertLink, Told, toneOf } from '../../components/alerts.tsx';
import { Card } from '../../components/layout.tsx';
import { TimeAgo } from '../../components/values.tsx';

/** Drawn before somebody asks for all: the chart below is to be seen at once. */
const atOnce = 3;

/** Something to look at. */
function Problem({ isBad, children }: { isBad: boolean; children: ReactNode }) {
  return <li data-tone={isBad ? 'bad' : 'warn'}>{children}</li>;
}

/** What somebody looks after already is no longer red. */
const AlertLine = ({ of }: { of: Alert }) => (
  <Problem isBad={toneOf(of) === 'bad' && of.state === 'open'}>
    <div>
      <strong>
        <AlertLink of={of} />
      </strong>{' '}
      <span className="small">
        <Told text={of.detail && `${of.detail}; `} />
        since <TimeAgo at={of.opened_at} />
        {of.acknowledged_by && `, ${of.acknowledged_by} looks after it`}
      </span>
    </div>
    <Acknowledge of={of} />
  </Problem>
);

/** Services that are not ready, and then what rules found, as Alerts, bell and `agp status` show it; nothing if all is well. */
export function Problems({ status: { services } }: { status: Status }) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery(alertsQuery({ state: 'unresolved' }));
  const down = services?.filter(({ state }) => state === 'not_ready') ?? [];
  // A block and a first use are news, nothing that is wrong.
  const wrong = (query.data?.data ?? []).filter(({ severity }) => severity !== 'info');
  const all = [
    ...down.map(({ name, detail }) => (
      <Problem key={name} isBad>
        <div>
          {name} is not ready: {detail}
        </div>
      </Problem>
    )),
    ...(query.isError
      ? [
          <Problem key="unread" isBad>
            Alerts could not be read: there may be more.
          </Problem>,
        ]
      : []),
    ...wrong.map((alert) => <AlertLine key={alert.id} of={alert} />),
  ];
  if (all.length === 0) return null;
  const count = `${formatCount(all.length)}${wrong.length === mostOpen ? ' or more' : ''}`;
  return (
    <Card
      title={`To look at: ${count}`}
      aside={
        all.length > atOnce && (
          <Button size="compact-xs" variant="subtle" onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show fewer' : `Show all ${count}`}
          </Button>
        )
      }
      flush
    >
      <ul className="problems">{isOpen ? all : all.slice(0, atOnce)}</ul>
    </Card>
  );
}
