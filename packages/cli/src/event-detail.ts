import {
  type EventDetail,
  eventDetailSchema,
  type ListedEvent,
  type UnrecordedReason,
  type UnrecordedRequest,
  unrecordedRequestSchema,
} from '@agp/core/contracts';
import { describeOutcome, statusBeside } from '@agp/core/explain';
import { hashLink } from '@agp/core/lineage';
import type { Answer, Api } from './api.ts';
import { ApiFailure } from './cli-error.ts';
import type { Column } from './table.ts';
import { formatCount, formatDuration, formatTime, formatUsd } from './values.ts';

/** An event, or what is known of a request whose event is lost. */
type FoundEvent =
  | { event: Answer<EventDetail>; unrecorded: null }
  | { event: null; unrecorded: Answer<UnrecordedRequest> };

const ifFound = (error: unknown): null => {
  if (error instanceof ApiFailure && error.status === 404) return null;
  throw error;
};

/** @throws ApiFailure if nothing has this id */
export async function findEvent(api: Api, id: string): Promise<FoundEvent> {
  const path = encodeURIComponent(id);
  let failure: unknown;
  const event = await api.get(`/api/v1/events/${path}/detail`, eventDetailSchema).catch((error) => {
    failure = error;
    return ifFound(error);
  });
  if (event !== null) return { event, unrecorded: null };
  const unrecorded = await api.get(`/api/v1/costs/unrecorded/${path}`, unrecordedRequestSchema).catch(ifFound);
  if (unrecorded === null) throw failure;
  return { event: null, unrecorded };
}

export const toneStyles = { good: undefined, plain: undefined, warn: 'yellow', bad: 'red' } as const;

/** How an event ended. */
export const resultColumn: Column<Pick<ListedEvent, 'outcome' | 'http_status' | 'failure'>> = {
  head: 'RESULT',
  cell: (event) => describeOutcome(event).text,
  brief: (event) => describeOutcome(event).short,
  style: (event) => toneStyles[describeOutcome(event).tone],
  least: 7,
};

/** The kinds of personal data found; `no` if all was searched and none found; `-` if nothing was searched, or that is not known. */
export function formatPii({
  pii_types,
  pii_scan,
}: Pick<EventDetail, 'pii_types'> & Pick<ListedEvent, 'pii_scan'>): string {
  if (pii_types.length > 0) return pii_types.join(',');
  if (pii_scan === 'partial') return 'no, searched in part';
  return pii_scan === 'full' ? 'no' : '-';
}

/** The kind if there is one, else how many there are. */
export const formatBriefPii = ({ pii_types: types }: Pick<EventDetail, 'pii_types'>): string =>
  types.length > 1 ? `${types.length} kinds` : (types[0] ?? '-');

const orNone = (value: string | number | null) => (value === null ? '-' : String(value));
const formatMs = (ms: number | null) => (ms === null ? '-' : formatDuration(ms));

function formatFindings({ pii_findings: findings }: EventDetail): string {
  const places = Map.groupBy(findings ?? [], ({ in: part, message, type }) => {
    const place = message === null ? part : `${part}, message index ${message}`;
    return `${type} (${place})`;
  });
  return (
    [...places].map(([place, each]) => (each.length > 1 ? `${place} ${each.length} times` : place)).join('; ') || '-'
  );
}

function formatDecisions({ decision, policy_version: version }: EventDetail): string {
  if (decision === null) return version === null ? '-' : `none decided; rules of version ${version}`;
  const rules = decision.map(
    ({ policy, version: own, rule, action }) => `${action} by ${policy} (version ${own}, rule ${rule})`,
  );
  return `${rules.join('; ')}; rules of version ${version}`;
}

function formatTools({ tools }: EventDetail): string {
  if (tools === null) return '-';
  const list = (named: NonNullable<typeof tools>['called']) =>
    named.map(({ kind, names }) => `${names[0]} (${kind})`).join(', ');
  const declared = tools.declared === null ? 'not read' : list(tools.declared) || 'none';
  const more = tools.more > 0 ? `; and ${formatCount(tools.more)} more` : '';
  return `declared: ${declared}; called: ${list(tools.called) || 'none'}${more}`;
}

/** The server's word is not taken for it: the hash is computed here. */
function formatProof({ lineage_hash, chain }: EventDetail): string {
  if (chain.previous_hash === null)
    return 'not checked: the event before it is not near; "sessions verify" checks the whole chain';
  if (hashLink(chain.previous_hash, chain.payload) !== lineage_hash) return 'WRONG: the payload does not hash to it';
  return chain.altered.length > 0
    ? `the payload hashes to it, but other values are shown of ${chain.altered.join(', ')}`
    : 'the payload hashes to it';
}

/** All that is known of an event, by fields; a star is on each that no hash covers. */
export function listDetail(event: EventDetail): [name: string, value: string][] {
  const unchained = new Set<string>(event.not_chained);
  const fields: [name: string, value: string, key?: string][] = [
    ['id', event.id],
    ['time', formatTime(event.timestamp)],
    ['recorded', formatTime(event.recorded_at), 'recorded_at'],
    ['agent', `${event.agent_name ?? '-'} (${event.agent_id})`, 'agent_name'],
    ['address', orNone(event.source_ip)],
    ['session', event.session_id],
    ['result', describeOutcome(event).text],
    ['status', orNone(statusBeside(event))],
    ['failure', orNone(event.failure), 'failure'],
    ['request', `${orNone(event.method)} ${orNone(event.path)}`],
    ['provider', event.provider],
    [
      'model',
      event.requested_model === event.model
        ? event.model
        : `${event.model} (asked for: ${orNone(event.requested_model)})`,
    ],
    ['took', `${formatMs(event.duration_ms)}, first byte after ${formatMs(event.first_byte_ms)}`],
    ['request id', orNone(event.request_id), 'request_id'],
    ["provider's request id", orNone(event.provider_request_id)],
    [
      'tokens',
      `${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out; figures: ${orNone(event.usage_source)}`,
    ],
    ['cost (USD)', `${formatUsd(event.cost_usd)}; prices: ${orNone(event.price_version)}`],
    ['compliance tag', event.compliance_tag],
    [
      'personal data',
      `${event.pii_types.length === 0 && event.pii_scan === 'partial' ? 'no' : formatPii(event)}; searched: ${orNone(event.pii_scan)}`,
    ],
    ['where', formatFindings(event), 'pii_findings'],
    ['policies', formatDecisions(event)],
    ['tools', formatTools(event)],
    ...(event.forwarded_sha256 === null
      ? []
      : ([['SHA-256 of what went on', event.forwarded_sha256]] as [string, string][])),
    ['SHA-256 of the request', orNone(event.request_sha256)],
    ['SHA-256 of the answer', orNone(event.response_sha256)],
    ['proxy', `${orNone(event.producer)}, its request ${orNone(event.producer_seq)}`],
    ['place in the chain', `seq ${event.chain.seq}`],
    ['hash', event.lineage_hash],
    ['previous hash', orNone(event.chain.previous_hash)],
    ['proof', formatProof(event)],
  ];
  return [
    ...fields.map(([name, value, key]): [string, string] => [
      key !== undefined && unchained.has(key) ? `${name} *` : name,
      value,
    ]),
    ['', '* no hash covers it'],
  ];
}

const meanings: Record<UnrecordedReason, string> = {
  ended_without_record:
    'its proxy ended before the event was safe; should the event come after all, it takes the place of this',
  lost: 'more events waited than a proxy holds',
  set_aside: 'the event cannot be recorded as it is, and is in quarantine',
  unknown: 'noted by a later version',
};

/** All that is known of a request without an event, by fields. */
export function listUnrecorded(request: UnrecordedRequest): [name: string, value: string][] {
  return [
    ['id', request.event_id],
    ['time', formatTime(request.started_at)],
    ['noted', formatTime(request.noted_at)],
    ['agent', `${request.agent_name ?? '-'} (${request.agent_id})`],
    ['session', request.session_id ?? '-'],
    ['result', request.outcome ?? 'not recorded'],
    ['why', `${request.reason}: ${meanings[request.reason]}`],
    ['provider', request.provider ?? '-'],
    ['model', request.model ?? '-'],
    ['counts (USD)', `${formatUsd(request.cost_usd)}, in the budgets of its day`],
  ];
}
