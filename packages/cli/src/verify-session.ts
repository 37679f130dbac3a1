import type { Event, Lineage, LineageRemovals } from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import { type Divergence, emptyHead, findDivergence, passRemoved, type ServedLink } from '@agp/core/lineage';

/** The result, in the form of the API's own verification. */
export interface SessionVerdict {
  session_id: string;
  valid: boolean;
  length: number;
  head: string;
  /** Place of the first event that is not as it was written. */
  first_divergence: number | null;
}

/** Fields of an event that its payload also has. */
const sharedFields = [
  ...(['id', 'agent_id', 'session_id', 'timestamp', 'direction', 'model', 'provider', 'prompt_tokens'] as const),
  ...(['completion_tokens', 'total_tokens', 'cost_usd', 'compliance_tag', 'pii_detected', 'pii_types'] as const),
];

/** The first event of the chain that the API shows differently, or not at all. */
function findMisshown(
  links: readonly ServedLink[],
  events: readonly Event[],
  removed: LineageRemovals['removed'],
): Divergence | null {
  const shown = new Map(events.map((event) => [event.id, event]));
  for (const { seq, id, lineage_hash, payload } of links) {
    const event = shown.get(id);
    // Removed while we downloaded.
    if (event === undefined && removed.some(({ first_seq, last_seq }) => first_seq <= seq && seq <= last_seq)) continue;
    if (event === undefined) return { seq, reason: 'the API does not list it among the events of the session' };
    const written = parseJson(payload) as Record<string, unknown>;
    const other = sharedFields.find((field) => JSON.stringify(event[field]) !== JSON.stringify(written[field]));
    const wrong = event.lineage_hash === lineage_hash ? other : 'lineage_hash';
    if (wrong !== undefined) return { seq, reason: `the API shows another ${wrong} than the chain has` };
  }
  return null;
}

/**
 * Checks a session's chain by computing its hashes here, and compares each event that the API shows with the chain.
 *
 * @param lineage downloaded before the events
 * @param removed removals by retention, downloaded after the events
 * @param knownHead an earlier last hash, which an unchanged chain must still contain
 */
export function verifySession(
  sessionId: string,
  lineage: Lineage,
  events: readonly Event[],
  { removed }: LineageRemovals,
  knownHead?: string,
): { verdict: SessionVerdict; reason: string | null } {
  const links = lineage.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
  const last = links.at(-1);
  const head = passRemoved(last ? { length: last.seq + 1, hash: last.lineage_hash } : emptyHead, removed);
  const hashes = [...links, ...removed].map(({ lineage_hash }) => lineage_hash);
  const divergence =
    findDivergence(links, { session_id: sessionId }, removed) ??
    findMisshown(links, events, removed) ??
    findLoss(head.length, hashes, knownHead);
  const verdict = {
    session_id: sessionId,
    valid: divergence === null,
    length: head.length,
    head: head.hash,
    first_divergence: divergence?.seq ?? null,
  };
  const id = links.find(({ seq }) => seq === divergence?.seq)?.id;
  const place = divergence && `diverges at seq ${divergence.seq}${id === undefined ? '' : ` (${id})`}`;
  return { verdict, reason: place && `${sessionId} ${place}: ${divergence.reason}` };
}

function findLoss(length: number, hashes: readonly string[], knownHead: string | undefined): Divergence | null {
  if (knownHead === undefined || hashes.includes(knownHead)) return null;
  const reason =
    'the chain no longer has the hash that --head names: it was changed or cut, or is of an event that was removed';
  return { seq: length, reason };
}
