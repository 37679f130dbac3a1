import type { EventDetail } from '@agp/core/contracts';
import { describeFound, describePii, explainEvent, explainOutcome, type Row, toolKinds } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { apiQuery } from '../api/api.ts';
import { useSession } from '../api/session.ts';
import { CopyAs } from '../components/export.tsx';
import { Reading } from '../components/feedback.tsx';
import { Card, Screen } from '../components/layout.tsx';
import { DecidedBy } from '../components/policies.tsx';
import {
  AgentLink,
  CopyText,
  Fields,
  OutcomePill,
  Pill,
  SessionLink,
  ShortId,
  TimeStamp,
} from '../components/values.tsx';

type Decided = NonNullable<EventDetail['decision']>[number];

/** What was done by each action of a rule. */
const actions: Record<Decided['action'], string> = {
  observe: 'noted; enforced, it would have been refused or changed',
  excepted: 'an exception of the policy let it pass',
  warn: 'its agent was warned; enforced, it would have been refused or changed',
  lower: 'the bound of its output was lowered',
  strip: 'tools were taken out of it',
  redact: 'texts of it or of its answer were replaced',
  flag: 'what it names was found',
  cut: 'its answer was ended',
};

/** Each once: more than one part of a request may be decided alike. */
function Decisions({ decision }: { decision: readonly Decided[] }) {
  const lines = new Map(decision.map((each) => [JSON.stringify(each), each]));
  return (
    <ul className="lines" style={{ marginTop: 0 }}>
      {[...lines].map(([line, { policy, version, rule, action, found }]) => (
        <li key={line}>
          <Pill tone={action === 'observe' ? 'plain' : 'warn'}>{action}</Pill> <DecidedBy policy={policy} rule={rule} />{' '}
          <span className="dim">
            (version {version}): {actions[action]}
            {found && `: ${describeFound(found)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function ToolNames({ tools }: { tools: NonNullable<EventDetail['tools']>['called'] }) {
  if (tools.length === 0) return <span className="dim">none</span>;
  return (
    <span className="chips">
      {tools.map(({ kind, names }) => (
        <Pill key={`${kind} ${names[0]}`} title={`${toolKinds[kind] ?? kind}: ${names.join(', ')}`}>
          {names[0]}
          {kind !== 'client' && ` · ${toolKinds[kind] ?? kind}`}
        </Pill>
      ))}
    </span>
  );
}

const lists: Record<string, (event: EventDetail) => ReactNode> = {
  decisions: ({ decision }) =>
    decision?.length ? <Decisions decision={decision} /> : <span className="dim">nothing</span>,
  offered: ({ tools }) => tools?.declared && <ToolNames tools={tools.declared} />,
  called: ({ tools }) => tools && <ToolNames tools={tools.called} />,
  agent: (event) => <AgentLink id={event.agent_id} name={event.agent_name} />,
  session: (event) => <SessionLink id={event.session_id} />,
  result: (event) => <OutcomePill event={event} />,
};

function draw({ label, text, look }: Row, event: EventDetail): ReactNode {
  if (text === null) return null;
  if (look === 'time') return <TimeStamp at={text} />;
  if (look === 'code') return <span className="mono">{text}</span>;
  if (look === 'id')
    return <ShortId id={text} what={label.replace(/^[A-Z](?=[a-z])/, (at) => at.toLowerCase())} whole />;
  if (look === 'pii') {
    const { tone } = describePii(event);
    return tone === 'plain' ? text : <Pill tone={tone}>{text}</Pill>;
  }
  return lists[look ?? '']?.(event) ?? text;
}

/** What is known of one side of an event; a star is on what no hash covers. */
function Rows({ rows, event }: { rows: readonly Row[]; event: EventDetail }) {
  return (
    <Fields
      fields={Object.fromEntries(rows.map((row) => [row.label, draw(row, event)]))}
      starred={rows.flatMap(({ label, isBare }) => (isBare ? [label] : []))}
    />
  );
}

/** The exact text that the event's hash covers, and the hash as this browser computes it. */
function EventProof({ event, told }: { event: EventDetail; told: ReturnType<typeof explainEvent> }) {
  const { edition } = useSession();
  const { payload } = event.chain;
  return (
    <Card
      title="Proof"
      aside={
        edition === 'extended' && (
          <Link to="/sessions/$sessionId" params={{ sessionId: event.session_id }} hash="chain" className="small">
            Verify the whole session
          </Link>
        )
      }
    >
      <div role="status" className="banner" data-tone={told.verdict.tone} style={{ marginBottom: '0.75rem' }}>
        <strong>{told.verdict.text}</strong>
      </div>
      <Rows rows={told.proof} event={event} />
      <details style={{ marginTop: '0.875rem' }}>
        <summary>The text that the hash covers</summary>
        <pre className="code-block" style={{ marginTop: '0.5rem' }}>
          {payload}
        </pre>
        <CopyText text={payload} what="the text that the hash covers" />
      </details>
      <p className="dim small" style={{ marginBottom: 0 }}>
        * No hash covers {event.not_chained.join(', ').replaceAll('_', ' ')}: the database alone vouches for them.
      </p>
    </Card>
  );
}

const route = getRouteApi('/events/$eventId');

const useEvent = (id: string) =>
  useQuery({
    ...apiQuery('/api/v1/events/{id}/detail', { path: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** All that is known of one request, and the proof that it is as it was written. */
export function EventScreen() {
  const { eventId } = route.useParams();
  const query = useEvent(eventId);
  return (
    <Screen
      title="Event"
      about={<ShortId id={eventId} what="event id" whole />}
      // The address may hold anything.
      actions={
        /^\w+$/.test(eventId) && <CopyAs path={`/api/v1/events/${eventId}/detail`} command={`events show ${eventId}`} />
      }
    >
      <Reading query={query}>{({ data }) => <Explained event={data} />}</Reading>
    </Screen>
  );
}

function Explained({ event }: { event: EventDetail }) {
  return (
    <>
      <EventFacts event={event} />
      <EventProof event={event} told={explainEvent(event)} />
    </>
  );
}

/** The same beside a list: without its proof. */
export function EventPeek({ id }: { id: string }) {
  return <Reading query={useEvent(id)}>{({ data }) => <EventFacts event={data} />}</Reading>;
}

function EventFacts({ event }: { event: EventDetail }) {
  const told = explainEvent(event);
  const meaning = explainOutcome(event);
  return (
    <>
      <div className="grid" style={{ ['--least' as string]: '24rem' }}>
        <Card title="What happened">
          {meaning && <p style={{ marginTop: 0 }}>{meaning}</p>}
          <Rows rows={told.happened} event={event} />
        </Card>
        <Card title="What it used">
          <Rows rows={told.used} event={event} />
        </Card>
      </div>
      {told.rules.length > 0 && (
        <Card title="Policies and tools">
          <Rows rows={told.rules} event={event} />
        </Card>
      )}
    </>
  );
}
