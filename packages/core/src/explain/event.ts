import type { EventDetail } from '../contracts/index.ts';
import { hashLink } from '../lineage/chain.ts';
import { countOf, formatCount, formatDuration, formatUsd } from './formats.ts';
import { describeOutcome, statusBeside, type Tone } from './outcome.ts';

/** What a page may draw in a way of its own. */
type Look = 'code' | 'id' | 'time' | 'agent' | 'session' | 'result' | 'pii' | 'decisions' | 'offered' | 'called';

/** One thing that is known of an event. */
export interface Row {
  label: string;
  /** Null if it is not known. A time is as the API has it. */
  text: string | null;
  look?: Look;
  /** True if no hash covers it: the database alone vouches for it. */
  isBare?: boolean;
}

/** The personal data found; nothing found is only said if all was searched. */
export function describePii({
  pii_types,
  pii_detected,
  pii_scan,
}: {
  pii_types?: readonly string[] | undefined;
  pii_detected?: boolean;
  pii_scan?: string | null | undefined;
}): { text: string; tone: Tone } {
  if (pii_types && pii_types.length > 0) return { text: pii_types.join(', '), tone: 'warn' };
  if (pii_detected) return { text: 'found', tone: 'warn' };
  if (pii_scan === 'partial') return { text: 'none in what was searched', tone: 'plain' };
  return { text: pii_scan === 'none' ? 'not searched' : 'none', tone: 'plain' };
}

/** Kinds of tools in words, if their own name says too little. */
export const toolKinds: Readonly<Record<string, string>> = { remote_mcp: 'remote MCP', tunnel: 'MCP tunnel' };

/** Why a request has no event. */
export const unrecordedReasons = {
  ended_without_record: 'its proxy was killed before the event was safe',
  lost: 'more events waited than a proxy holds',
  set_aside: 'the event cannot be recorded as it is: see npm run quarantine',
  unknown: 'noted by a later version',
};

const figures: Record<string, string> = {
  provider: 'figures of the provider',
  estimated: 'estimated: the provider gave no figures',
  none: 'nothing was used',
};
const searched = { full: 'all of it', partial: 'a part of it', none: 'nothing' };

function listFindings(findings: NonNullable<EventDetail['pii_findings']>): string {
  const places = Map.groupBy(findings, ({ in: part, message, type }) => {
    const place = message === null ? part : `${part}, message ${message}`;
    return `${type.replaceAll('_', ' ')} in ${place}`;
  });
  return [...places].map(([place, each]) => (each.length > 1 ? `${place} (${each.length} times)` : place)).join('; ');
}

const listTools = (tools: NonNullable<EventDetail['tools']>['called']) =>
  tools.map(({ kind, names }) => `${names[0]} (${toolKinds[kind] ?? kind})`).join(', ') || 'none';

/** What rules decided of it and what they ask of it; nothing if neither is known. */
function explainRules({ decision, policy_version: version, tools, asked, not_chained }: EventDetail): Row[] {
  if (!decision?.length && !version && !tools && !asked) return [];
  const decided = decision?.map(
    ({ policy, version: own, rule, action }) => `${action} by ${policy} (version ${own}, rule ${rule})`,
  );
  const rows: Row[] = [
    { label: 'Decided', text: decided?.join('; ') || 'nothing', look: 'decisions' },
    { label: 'Version of the rules', text: version === null ? null : formatCount(version) },
    {
      label: 'Tools offered',
      text: tools && (tools.declared === null ? 'could not be read' : listTools(tools.declared)),
      look: 'offered',
    },
    { label: 'Tools called', text: tools && listTools(tools.called), look: 'called' },
    ...(tools?.more ? [{ label: 'More tools', text: formatCount(tools.more) }] : []),
  ];
  if (asked === null) return rows;
  const { operations, models, output_tokens: output, input_bytes: input, nano_usd } = asked;
  const ofAsked: Row[] = [
    { label: 'Operation', text: operations?.join(', ') ?? 'unknown' },
    { label: 'Models named', text: models?.join(', ') ?? 'could not be read' },
    { label: 'Most output', text: output === null ? 'no bound' : countOf(output, 'token') },
    { label: 'Input', text: input === null ? null : countOf(input, 'byte') },
    { label: 'Likely cost', text: `${formatUsd(nano_usd / 1e9)} USD` },
  ];
  return [...rows, ...ofAsked.map((row) => ({ ...row, isBare: not_chained.includes('asked') }))];
}

/** Whether the event is what its hash covers. The server's word is not taken for it: the hash is computed here. */
function judgeProof(
  { lineage_hash, chain: { altered } }: EventDetail,
  computed: string | null,
): { text: string; tone: Tone } {
  if (computed === null)
    return { tone: 'warn', text: 'Not checked here: the event before it is not near. Verify the whole session.' };
  if (computed !== lineage_hash)
    return { tone: 'bad', text: 'It was changed: the payload does not hash to what was recorded.' };
  if (altered.length > 0)
    return { tone: 'bad', text: `The payload hashes to it, but other values are shown of ${altered.join(', ')}.` };
  return { tone: 'good', text: 'As it was written: the same hash was computed here.' };
}

/** All that is known of an event, by what it is about, and whether it is as it was written. */
export function explainEvent(event: EventDetail) {
  const { seq, previous_hash: previous, payload } = event.chain;
  const { method, duration_ms: took, first_byte_ms: firstByte, producer, model, requested_model: asked } = event;
  const isBare = (member: EventDetail['not_chained'][number]) => event.not_chained.includes(member);
  const status = statusBeside(event);
  const findings = listFindings(event.pii_findings ?? []);
  const computed = previous === null ? null : hashLink(previous, payload);
  const happened: Row[] = [
    {
      label: 'Result',
      text: describeOutcome(event).text,
      look: 'result',
      isBare: event.failure !== null && isBare('failure'),
    },
    {
      label: 'Agent',
      text: `${event.agent_name ?? '–'} (${event.agent_id})`,
      look: 'agent',
      isBare: isBare('agent_name'),
    },
    { label: 'Session', text: event.session_id, look: 'session' },
    { label: 'Time', text: event.timestamp, look: 'time' },
    { label: 'Recorded', text: event.recorded_at, look: 'time', isBare: isBare('recorded_at') },
    {
      label: 'Took',
      text:
        took === null
          ? null
          : `${formatDuration(took)}, first byte after ${firstByte === null ? '–' : formatDuration(firstByte)}`,
    },
    { label: 'Request', text: method === null ? null : `${method} ${event.path ?? ''}`, look: 'code' },
    { label: 'Status', text: status === null ? null : String(status) },
    { label: 'From', text: event.source_ip },
    { label: 'Request id', text: event.request_id, look: 'id', isBare: isBare('request_id') },
    { label: 'Provider’s request id', text: event.provider_request_id, look: 'id' },
    { label: 'Proxy', text: producer === null ? null : `${producer}, its request ${event.producer_seq ?? '–'}` },
  ];
  const used: Row[] = [
    { label: 'Provider', text: event.provider },
    { label: 'Model', text: asked === null || asked === model ? model : `${model} (asked for: ${asked})` },
    {
      label: 'Tokens',
      text: `${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out`,
    },
    { label: 'Figures', text: event.usage_source && (figures[event.usage_source] ?? event.usage_source) },
    { label: 'Cost', text: `${formatUsd(event.cost_usd)} USD` },
    { label: 'Prices', text: event.price_version },
    { label: 'Compliance tag', text: event.compliance_tag },
    { label: 'Personal data', text: describePii(event).text.replaceAll('_', ' '), look: 'pii' },
    { label: 'Searched', text: event.pii_scan && searched[event.pii_scan] },
    ...(findings === '' ? [] : [{ label: 'Found where', text: findings, isBare: isBare('pii_findings') }]),
  ];
  const proof: Row[] = [
    { label: 'Place in the chain', text: String(seq) },
    { label: 'Hash', text: event.lineage_hash, look: 'id' },
    { label: 'Computed here', text: computed, look: 'id' },
    previous === 'genesis'
      ? { label: 'Hash before it', text: 'genesis: it is the first' }
      : { label: 'Hash before it', text: previous, look: 'id' },
    { label: 'SHA-256 of the request', text: event.request_sha256, look: 'id' },
    ...(event.forwarded_sha256 === null
      ? []
      : [{ label: 'SHA-256 of what went on', text: event.forwarded_sha256, look: 'id' as const }]),
    { label: 'SHA-256 of the answer', text: event.response_sha256, look: 'id' },
  ];
  return { happened, used, rules: explainRules(event), proof, verdict: judgeProof(event, computed) };
}
