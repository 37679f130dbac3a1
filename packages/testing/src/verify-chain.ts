/**
 * A second implementation of the lineage chain, written from docs/lineage.md and RFC 8785 alone. It shares no
 * code with packages/core, so that the two can only agree by both being right.
 */
import { hash } from 'node:crypto';

export interface ChainEntry {
  seq: number;
  event_id: string;
  lineage_hash: string;
  payload: string;
}

interface RemovedRun {
  first_seq: number;
  last_seq: number;
  lineage_hash: string;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** RFC 8785: members sorted by the UTF-16 units of their names, no white space, ECMAScript numbers, least escaping. */
export function canonical(value: Json): string {
  if (value === null || typeof value === 'boolean') return `${value}`;
  if (typeof value === 'number') return Object.is(value, -0) ? '0' : `${value}`;
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const names = Object.keys(value).sort(compareUnits);
  return `{${names.map((name) => `${quote(name)}:${canonical(value[name] as Json)}`).join()}}`;
}

function compareUnits(a: string, b: string): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const difference = a.charCodeAt(index) - b.charCodeAt(index);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const shortEscapes = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
]);

function quote(text: string): string {
  let quoted = '"';
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    quoted +=
      shortEscapes.get(unit) ??
      (unit < 0x20 ? `\\u00${unit < 0x10 ? '0' : '1'}${(unit & 15).toString(16)}` : text[index]);
  }
  return `${quoted}"`;
}

const members =
  `agent_id completion_tokens compliance_tag cost_usd direction duration_ms first_byte_ms http_status id method
  model outcome path pii_detected pii_scan pii_types price_version producer producer_seq prompt_tokens provider
  provider_request_id request_sha256 requested_model response_sha256 seq session_id source_ip timestamp total_tokens
  usage_source v`.split(/\s+/);

const membersOf2 = [...members, 'decision', 'forwarded_sha256', 'policy_version', 'tools'].sort();

/** Whether the payload is the canonical form of an event of version 1 or 2 at this place of this session. */
function fits(entry: ChainEntry, seq: number, sessionId: string): boolean {
  const payload = JSON.parse(entry.payload) as { [name: string]: Json };
  return (
    canonical(payload) === entry.payload &&
    Object.keys(payload).join() === (payload.v === 2 ? membersOf2 : members).join() &&
    (payload.v === 1 || payload.v === 2) &&
    payload.seq === seq &&
    entry.seq === seq &&
    payload.id === entry.event_id &&
    payload.session_id === sessionId
  );
}

/** @returns the seq of the first entry that is not what it should be, or null when the chain is whole */
export function findDivergence(
  sessionId: string,
  entries: readonly ChainEntry[],
  removed: readonly RemovedRun[] = [],
): number | null {
  let previous = 'genesis';
  let seq = 0;
  for (const entry of entries) {
    for (let run = removedAt(seq); run !== undefined && run.last_seq < entry.seq; run = removedAt(seq)) {
      previous = run.lineage_hash;
      seq = run.last_seq + 1;
    }
    const digest = hash('sha256', Buffer.from(previous + entry.payload, 'utf8'), 'hex');
    if (`sha256:${digest}` !== entry.lineage_hash || !fits(entry, seq, sessionId)) return seq;
    previous = entry.lineage_hash;
    seq += 1;
  }
  return null;

  function removedAt(place: number): RemovedRun | undefined {
    return removed.find(({ first_seq, last_seq }) => first_seq <= place && place <= last_seq);
  }
}
