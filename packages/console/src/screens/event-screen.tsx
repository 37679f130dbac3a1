import { explainOutcome, statusBeside } from '@agp/core/explain';
import { hashLink } from '@agp/core/lineage';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery } from '../api/api.ts';
import { useSession } from '../api/session-context.ts';
import type { EventDetail } from '../api/shapes.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { Reading } from '../components/feedback.tsx';
import { Card, Screen } from '../components/layout.tsx';
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
import { describePii, formatCount, formatDuration, formatExactUsd } from '../format/format.ts';
import { EventRules, starNames } from './event-rules.tsx';

function judge(event: EventDetail, computed: string | null): { tone: 'good' | 'warn' | 'bad'; text: string } {
  const { altered } = event.chain;
  if (computed === null)
    return { tone: 'warn', text: 'Not checked here: the event before it is not near. Verify the whole session.' };
  if (computed !== event.lineage_hash)
    return { tone: 'bad', text: 'It was changed: the payload does not hash to what was recorded.' };
  if (altered.length > 0)
    return { tone: 'bad', text: `The payload hashes to it, but other values are shown of ${altered.join(', ')}.` };
  return { tone: 'good', text: 'As it was written: this browser computed the same hash.' };
}

const whole = (id: string | null | undefined, what: string) => (id ? <ShortId id={id} what={what} whole /> : null);

/** The exact text that the event's hash covers, and the hash as this browser computes it. */
export function EventProof({ event }: { event: EventDetail }) {
  const { edition } = useSession();
  const { seq, previous_hash: previous, payload } = event.chain;
  const computed = previous === null ? null : hashLink(previous, payload);
  const verdict = judge(event, computed);
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
      <div role="status" className="banner" data-tone={verdict.tone} style={{ marginBottom: '0.75rem' }}>
        <strong>{verdict.text}</strong>
      </div>
      <Fields
        fields={{
          'Place in the chain': seq,
          Hash: whole(event.lineage_hash, 'hash'),
          'Computed here': whole(computed, 'computed hash'),
          'Hash before it': previous === 'genesis' ? 'genesis: it is the first' : whole(previous, 'hash before it'),
          'SHA-256 of the request': whole(event.request_sha256, 'SHA-256 of the request'),
          ...(event.forwarded_sha256 && {
            'SHA-256 of what went on': whole(event.forwarded_sha256, 'SHA-256 of what went to the provider'),
          }),
          'SHA-256 of the answer': whole(event.response_sha256, 'SHA-256 of the answer'),
        }}
      />
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

interface Finding {
  in: string;
  message: number | null;
  type: string;
}

function listFindings(findings: readonly Finding[]): string[] {
  const places = Map.groupBy(findings, ({ in: part, message, type }) => {
    const place = message === null ? part : `${part}, message ${message}`;
    return `${type.replaceAll('_', ' ')} in ${place}`;
  });
  return [...places].map(([place, each]) => (each.length > 1 ? `${place} (${each.length} times)` : place));
}

const route = getRouteApi('/events/$eventId');

const time = (ms: number | null) => (ms === null ? null : formatDuration(ms));
const sources: Record<string, string> = {
  provider: 'figures of the provider',
  estimated: 'estimated: the provider gave no figures',
  none: 'nothing was used',
};

/** All that is known of one request, and the proof that it is as it was written. */
export function EventScreen() {
  const { eventId } = route.useParams();
  const query = useQuery({
    ...apiQuery('/api/v1/events/{id}/detail', { path: { id: eventId } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Screen
      title="Event"
      about={<ShortId id={eventId} what="event id" whole />}
      // The address may hold anything.
      actions={
        /^\w+$/.test(eventId) && <CopyAs path={`/api/v1/events/${eventId}/detail`} command={`events show ${eventId}`} />
      }
    >
      <Reading query={query}>
        {({ data: event }) => (
          <>
            <div className="grid" style={{ ['--least' as string]: '24rem' }}>
              <WhatHappened event={event} />
              <WhatItUsed event={event} />
            </div>
            <EventRules event={event} />
            <EventProof event={event} />
          </>
        )}
      </Reading>
    </Screen>
  );
}

function WhatHappened({ event }: { event: EventDetail }) {
  const { method, path, duration_ms: took, first_byte_ms: firstByte, producer, producer_seq: number } = event;
  const meaning = explainOutcome(event);
  return (
    <Card title="What happened">
      {meaning && <p style={{ marginTop: 0 }}>{meaning}</p>}
      <Fields
        marked={starNames(event, { Recorded: 'recorded_at', 'Request id': 'request_id' })}
        fields={{
          Result: <OutcomePill event={event} />,
          Agent: <AgentLink id={event.agent_id} name={event.agent_name} />,
          Session: <SessionLink id={event.session_id} />,
          Time: <TimeStamp at={event.timestamp} />,
          Recorded: <TimeStamp at={event.recorded_at} />,
          Took: took === null ? null : `${formatDuration(took)}, first byte after ${time(firstByte) ?? '–'}`,
          Request: method === null ? null : <span className="mono">{`${method} ${path ?? ''}`}</span>,
          Status: statusBeside(event),
          From: event.source_ip,
          'Request id': whole(event.request_id, 'request id'),
          'Provider’s request id': whole(event.provider_request_id, 'provider’s request id'),
          Proxy: producer === null ? null : `${producer}, its request ${number ?? '–'}`,
        }}
      />
    </Card>
  );
}

const searched = { full: 'all of it', partial: 'a part of it', none: 'nothing' };

function WhatItUsed({ event }: { event: EventDetail }) {
  const { requested_model: asked, model, usage_source: source, pii_scan } = event;
  const pii = describePii(event);
  const findings = listFindings(event.pii_findings ?? []);
  return (
    <Card title="What it used">
      <Fields
        marked={starNames(event, { 'Found where': 'pii_findings' })}
        fields={{
          Provider: event.provider,
          Model: asked === null || asked === model ? model : `${model} (asked for: ${asked})`,
          Tokens: `${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out`,
          Figures: source === null ? null : (sources[source] ?? source),
          Cost: formatExactUsd(event.cost_usd),
          Prices: event.price_version,
          'Compliance tag': event.compliance_tag,
          'Personal data':
            pii.tone === 'plain' ? pii.text : <Pill tone={pii.tone}>{pii.text.replaceAll('_', ' ')}</Pill>,
          Searched: pii_scan === null ? null : searched[pii_scan],
          ...(findings.length > 0 && { 'Found where': findings.join('; ') }),
        }}
      />
    </Card>
  );
}
