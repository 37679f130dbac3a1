import type { EventDetail } from '@agp/core/contracts';
import { hashLink } from '@agp/core/lineage';
import { formatFailure, formatOutcome, formatPii } from './format-outcome.ts';
import { formatCount, formatDuration, formatTime, formatUsd } from './format-values.ts';

const orNone = (value: string | number | null) => (value === null ? '-' : String(value));
const formatMs = (ms: number | null) => (ms === null ? '-' : formatDuration(ms));

/** Findings of the same kind in the same message are one. */
function formatFindings({ pii_findings: findings }: EventDetail): string {
  const places = Map.groupBy(findings ?? [], ({ in: part, message, type }) => {
    const place = message === null ? part : `${part}, message index ${message}`;
    return `${type} (${place})`;
  });
  return (
    [...places].map(([place, each]) => (each.length > 1 ? `${place} ${each.length} times` : place)).join('; ') || '-'
  );
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

/** All that is known of an event, by fields; those that no hash covers have a star. */
export function listDetail(event: EventDetail): [name: string, value: string][] {
  const unchained = new Set<string>(event.not_chained);
  const fields: [name: string, value: string, key?: string][] = [
    ['id', event.id],
    ['time', formatTime(event.timestamp)],
    ['recorded', formatTime(event.recorded_at), 'recorded_at'],
    ['agent', `${event.agent_name ?? '-'} (${event.agent_id})`, 'agent_name'],
    ['address', orNone(event.source_ip)],
    ['session', event.session_id],
    ['result', formatOutcome(event)],
    ['status', orNone(event.http_status)],
    ['failure', orNone(formatFailure(event.failure)), 'failure'],
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
