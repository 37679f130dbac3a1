import { explainAnswer } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery } from '../../api/api-query.ts';
import type { EventDetail } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
import { type Field, Fields } from '../../components/values/fields.tsx';
import { Money } from '../../components/values/money.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { AgentLink, SessionLink } from '../../components/values/references.tsx';
import { CopyText, ShortId } from '../../components/values/short-id.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';
import { describeOutcome, describePii } from '../../format/describe-outcome.ts';
import { formatCount } from '../../format/format-count.ts';
import { formatExactUsd } from '../../format/format-money.ts';
import { formatDuration } from '../../format/format-time.ts';
import { PrintButton } from '../../print/print-button.tsx';
import { PrintStamp } from '../../print/print-stamp.tsx';
import { EventProof } from './event-proof.tsx';
import { listFindings } from './list-findings.ts';

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
      about={
        <>
          <span className="mono">{eventId}</span> <CopyText text={eventId} what="event id" />
        </>
      }
      actions={<PrintButton />}
    >
      <PrintStamp />
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
  const outcome = describeOutcome(event);
  const meaning = explainAnswer(event);
  const fields: Field[] = [
    [
      'Result',
      <Pill key="result" tone={outcome.tone}>
        {outcome.text}
      </Pill>,
    ],
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
