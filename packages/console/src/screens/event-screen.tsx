import { explainAnswer } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery } from '../api/api.ts';
import { useSession } from '../api/session-context.ts';
import type { EventDetail } from '../api/shapes.ts';
import { Reading } from '../components/feedback.tsx';
import { Card, Screen } from '../components/layout.tsx';
import {
  AgentLink,
  CopyText,
  type Field,
  Fields,
  Money,
  OutcomePill,
  Pill,
  SessionLink,
  ShortId,
  TimeStamp,
} from '../components/values.tsx';
import { describePii, formatCount, formatDuration, formatExactUsd } from '../format/format.ts';
import { canHash, hashLink } from '../verify/check-chain.ts';

/** What is said of the hash, and in which tone. */
function judge(event: EventDetail, computed: string | undefined): { tone: 'good' | 'warn' | 'bad'; text: string } {
  const { previous_hash: previous, altered } = event.chain;
  if (!canHash())
    return { tone: 'warn', text: 'Not checked: this browser hashes only on https pages and on localhost.' };
  if (previous === null)
    return { tone: 'warn', text: 'Not checked here: the event before it is not near. Verify the whole session.' };
  if (computed === undefined) return { tone: 'warn', text: 'Computing …' };
  if (computed !== event.lineage_hash)
    return { tone: 'bad', text: 'It was changed: the payload does not hash to what was recorded.' };
  if (altered.length > 0)
    return { tone: 'bad', text: `The payload hashes to it, but other values are shown of ${altered.join(', ')}.` };
  return { tone: 'good', text: 'As it was written: this browser computed the same hash.' };
}

/** The exact text that the event's hash covers, and the hash as this browser computes it. */
export function EventProof({ event }: { event: EventDetail }) {
  const { edition } = useSession();
  const { seq, previous_hash: previous, payload } = event.chain;
  const { data: computed } = useQuery({
    queryKey: ['hash', previous, payload],
    queryFn: () => hashLink(previous ?? '', payload),
    enabled: previous !== null && canHash(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const verdict = judge(event, computed);
  const hash = (text: string | null | undefined, what: string) =>
    text ? <ShortId key={what} id={text} what={what} whole /> : null;
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
        fields={[
          ['Place in the chain', seq],
          ['Hash', hash(event.lineage_hash, 'hash')],
          ['Computed here', hash(computed, 'computed hash')],
          ['Hash before it', previous === 'genesis' ? 'genesis: it is the first' : hash(previous, 'hash before it')],
          ['SHA-256 of the request', hash(event.request_sha256, 'SHA-256 of the request')],
          ['SHA-256 of the answer', hash(event.response_sha256, 'SHA-256 of the answer')],
        ]}
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

/** Where personal data was found, the same kind in the same message once: `email in request, message 2 (3 times)`. */
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
    <Screen title="Event" about={<ShortId id={eventId} what="event id" whole />}>
      <Reading query={query}>
        {({ data: event }) => (
          <>
            <div className="grid" style={{ ['--least' as string]: '24rem' }}>
              <WhatHappened event={event} />
              <WhatItUsed event={event} />
            </div>
            <EventProof event={event} />
          </>
        )}
      </Reading>
    </Screen>
  );
}

/** A star where no hash covers the value. */
function nameOf(event: EventDetail, member: string, name: string) {
  const isCovered = !(event.not_chained as readonly string[]).includes(member);
  return isCovered ? (
    name
  ) : (
    <span title="No hash covers this: the database alone vouches for it">
      {name} <span aria-hidden>*</span>
      <span className="visually-hidden">not covered by the hash</span>
    </span>
  );
}

function WhatHappened({ event }: { event: EventDetail }) {
  const meaning = explainAnswer(event);
  const fields: Field[] = [
    ['Result', <OutcomePill key="result" event={event} />],
    ['Agent', <AgentLink key="agent" id={event.agent_id} name={event.agent_name} />],
    ['Session', <SessionLink key="session" id={event.session_id} />],
    ['Time', <TimeStamp key="time" at={event.timestamp} />],
    [nameOf(event, 'recorded_at', 'Recorded'), <TimeStamp key="recorded" at={event.recorded_at} />, 'recorded'],
    [
      'Took',
      event.duration_ms === null
        ? null
        : `${time(event.duration_ms)}, first byte after ${time(event.first_byte_ms) ?? '–'}`,
    ],
    [
      'Request',
      event.method === null ? null : <span key="path" className="mono">{`${event.method} ${event.path ?? ''}`}</span>,
    ],
    ['Status', event.http_status],
    ['From', event.source_ip],
    [
      nameOf(event, 'request_id', 'Request id'),
      event.request_id === null ? null : <ShortId key="request" id={event.request_id} what="request id" whole />,
      'request id',
    ],
    [
      'Provider’s request id',
      event.provider_request_id === null ? null : (
        <ShortId key="provider" id={event.provider_request_id} what="provider’s request id" whole />
      ),
    ],
    ['Proxy', event.producer === null ? null : `${event.producer}, its request ${event.producer_seq ?? '–'}`],
  ];
  return (
    <Card title="What happened">
      {meaning && <p style={{ marginTop: 0 }}>{meaning}</p>}
      <Fields fields={fields} />
    </Card>
  );
}

function WhatItUsed({ event }: { event: EventDetail }) {
  const pii = describePii(event);
  const asked = event.requested_model;
  const findings = listFindings(event.pii_findings ?? []);
  const fields: Field[] = [
    ['Provider', event.provider],
    ['Model', asked === null || asked === event.model ? event.model : `${event.model} (asked for: ${asked})`],
    ['Tokens', `${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out`],
    ['Figures', event.usage_source === null ? null : (sources[event.usage_source] ?? event.usage_source)],
    [
      'Cost',
      <span key="cost">
        <Money usd={event.cost_usd} /> <span className="dim small">({formatExactUsd(event.cost_usd)})</span>
      </span>,
    ],
    ['Prices', event.price_version],
    ['Compliance tag', event.compliance_tag],
    [
      'Personal data',
      pii.tone === 'plain' ? (
        pii.text
      ) : (
        <Pill key="pii" tone={pii.tone}>
          {pii.text.replaceAll('_', ' ')}
        </Pill>
      ),
    ],
    [
      'Searched',
      event.pii_scan === null ? null : { full: 'all of it', partial: 'a part of it', none: 'nothing' }[event.pii_scan],
    ],
    ...(findings.length > 0
      ? [[nameOf(event, 'pii_findings', 'Found where'), findings.join('; '), 'findings'] as const]
      : []),
  ];
  return (
    <Card title="What it used">
      <Fields fields={fields} />
    </Card>
  );
}
