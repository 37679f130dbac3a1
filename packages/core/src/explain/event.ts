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

type Cell = readonly [label: string, text: string | null, look?: Look | null, member?: NotChained | undefined];
type NotChained = EventDetail['not_chained'][number];

const toRows = ({ not_chained }: EventDetail, cells: readonly Cell[]): Row[] =>
  cells.map(([label, text, look, member]) => ({
    ...{ label, text, isBare: member !== undefined && not_chained.includes(member) },
    ...(look && { look }),
  }));

/** `email 2, phone 1`: what a rule of data found, by kind. */
export const describeFound = (found: Readonly<Record<string, number>>): string =>
  Object.entries(found)
    .map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${formatCount(count)}`)
    .join(', ');

/** What rules decided of it and what they ask of it; nothing if neither is known. */
function explainRules(event: EventDetail): Row[] {
  const { decision, policy_version: version, tools, asked } = event;
  if (!decision?.length && !version && !tools && !asked) return [];
  const decided = decision?.map(
    ({ action, policy, version: own, rule, found }) =>
      `${action} by ${policy} (version ${own}, rule ${rule})${found && Object.keys(found).length > 0 ? `: ${describeFound(found)}` : ''}`,
  );
  const offered = tools && (tools.declared === null ? 'could not be read' : listTools(tools.declared));
  const ofRules: Cell[] = [
    ['Decided', decided?.join('; ') || 'nothing', 'decisions'],
    ['Version of the rules', version === null ? null : formatCount(version)],
    ['Tools offered', offered, 'offered'],
    ['Tools called', tools && listTools(tools.called), 'called'],
    ...(tools?.more ? [['More tools', formatCount(tools.more)] as const] : []),
  ];
  if (asked === null) return toRows(event, ofRules);
  const { operations, models, unread, output_tokens: output, input_bytes: input, nano_usd, geo, stores } = asked;
  const guardrail = asked.guardrail === null ? 'not known for sure' : asked.guardrail;
  const ofAsked: Cell[] = [
    ['Operation', operations?.join(', ') ?? 'unknown', null, 'asked'],
    ['Models named', models?.join(', ') ?? `could not be read${unread ? `: ${unread}` : ''}`, null, 'asked'],
    ['Processed in', geo === undefined ? null : (geo ?? 'not known for sure'), null, 'asked'],
    ['Kept by the provider', stores === undefined ? null : tellStored(stores), null, 'asked'],
    ['Guardrail', typeof guardrail === 'string' ? guardrail : null, null, 'asked'],
    ['Most output', output === null ? 'no bound' : countOf(output, 'token'), null, 'asked'],
    ['Input', input === null ? null : countOf(input, 'byte'), null, 'asked'],
    ['Likely cost', `${formatUsd(nano_usd / 1e9)} USD`, null, 'asked'],
  ];
  return toRows(event, [...ofRules, ...ofAsked]);
}

const tellStored = (stores: string | false | null): string =>
  stores === null ? 'not known for sure' : stores === false ? 'no' : `by ${stores}`;

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

/** By which it was charged. */
const listLabels = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

/** All that is known of an event, by what it is about, and whether it is as it was written. */
export function explainEvent(event: EventDetail) {
  const { seq, previous_hash: previous, payload } = event.chain;
  const { method, duration_ms: took, first_byte_ms: firstByte, producer, model, requested_model: asked } = event;
  const status = statusBeside(event);
  const findings = listFindings(event.pii_findings ?? []);
  const firstAfter = firstByte === null ? '–' : formatDuration(firstByte);
  const computed = previous === null ? null : hashLink(previous, payload);
  const happened: Cell[] = [
    ['Result', describeOutcome(event).text, 'result', event.failure === null ? undefined : 'failure'],
    ['Agent', `${event.agent_name ?? '–'} (${event.agent_id})`, 'agent', 'agent_name'],
    ['Labels', event.labels && listLabels(event.labels), null, 'labels'],
    ['Session', event.session_id, 'session'],
    ['Time', event.timestamp, 'time'],
    ['Recorded', event.recorded_at, 'time', 'recorded_at'],
    ['Took', took === null ? null : `${formatDuration(took)}, first byte after ${firstAfter}`],
    ['Request', method === null ? null : `${method} ${event.path ?? ''}`, 'code'],
    ['Status', status === null ? null : String(status)],
    ['From', event.source_ip],
    ['Request id', event.request_id, 'id', 'request_id'],
    ['Provider’s request id', event.provider_request_id, 'id'],
    ['Proxy', producer === null ? null : `${producer}, its request ${event.producer_seq ?? '–'}`],
  ];
  const lacksPrice = event.price_version === null && event.usage_source !== 'none' && event.total_tokens > 0;
  const used: Cell[] = [
    ['Provider', event.provider],
    ...(event.endpoint ? [['Endpoint', event.endpoint, null, 'endpoint'] as const] : []),
    ['Model', asked === null || asked === model ? model : `${model} (asked for: ${asked})`],
    ['Tokens', `${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out`],
    ['Figures', event.usage_source && (figures[event.usage_source] ?? event.usage_source)],
    ['Cost', lacksPrice && event.cost_usd === 0 ? 'no price' : `${formatUsd(event.cost_usd)} USD`],
    ['Prices', lacksPrice ? 'none is known of this model' : event.price_version],
    ['Compliance tag', event.compliance_tag],
    ['Personal data', describePii(event).text.replaceAll('_', ' '), 'pii'],
    ['Searched', event.pii_scan && searched[event.pii_scan]],
    ...(findings === '' ? [] : [['Found where', findings, null, 'pii_findings'] as const]),
  ];
  const forwarded = event.forwarded_sha256;
  const proof: Cell[] = [
    ['Place in the chain', String(seq)],
    ['Hash', event.lineage_hash, 'id'],
    ['Computed here', computed, 'id'],
    previous === 'genesis' ? ['Hash before it', 'genesis: it is the first'] : ['Hash before it', previous, 'id'],
    ['SHA-256 of the request', event.request_sha256, 'id'],
    ...(forwarded === null ? [] : [['SHA-256 of what went on', forwarded, 'id'] as const]),
    ['SHA-256 of the answer', event.response_sha256, 'id'],
  ];
  return {
    ...{ happened: toRows(event, happened), used: toRows(event, used), proof: toRows(event, proof) },
    ...{ rules: explainRules(event), verdict: judgeProof(event, computed) },
  };
}
