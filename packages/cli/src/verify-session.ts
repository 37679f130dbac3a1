import type { Event, Lineage } from '@agp/core/contracts';
import { type Divergence, emptyHead, findDivergence, type ServedLink } from '@agp/core/lineage';

/** What was found, in the words of the API's own verification. */
export interface SessionVerdict {
  session_id: string;
  valid: boolean;
  length: number;
  head: string;
  /** Place of the first event that is not as it was written. */
  first_divergence: number | null;
}

/** The fields of an event that its payload holds too. */
const sharedFields = [
  ...(['id', 'agent_id', 'session_id', 'timestamp', 'direction', 'model', 'provider', 'prompt_tokens'] as const),
  ...(['completion_tokens', 'total_tokens', 'cost_usd', 'compliance_tag', 'pii_detected', 'pii_types'] as const),
];

/** The first event of the chain that the API shows otherwise than the chain has it, or not at all. */
function findMisshown(links: readonly ServedLink[], events: readonly Event[]): Divergence | null {
  const shown = new Map(events.map((event) => [event.id, event]));
  for (const { seq, id, lineage_hash, payload } of links) {
    const event = shown.get(id);
    if (event === undefined) return { seq, reason: 'the API does not list it among the events of the session' };
    const written = JSON.parse(payload) as Record<string, unknown>;
    const other = sharedFields.find((field) => JSON.stringify(event[field]) !== JSON.stringify(written[field]));
    const wrong = event.lineage_hash === lineage_hash ? other : 'lineage_hash';
    if (wrong !== undefined) return { seq, reason: `the API shows another ${wrong} than the chain has` };
  }
  return null;
}

/**
 * Checks a session's chain by computing its hashes here, and what the API shows of each event against the chain.
 *
 * @param lineage as downloaded, before the events were
 * @param knownHead a hash that the chain ended with once; one that no longer has it was changed or cut
 */
export function verifySession(
  sessionId: string,
  lineage: Lineage,
  events: readonly Event[],
  knownHead?: string,
): { verdict: SessionVerdict; reason: string | null } {
  const links = lineage.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
  const divergence =
    findDivergence(links, { session_id: sessionId }) ?? findMisshown(links, events) ?? findLoss(links, knownHead);
  const verdict = {
    session_id: sessionId,
    valid: divergence === null,
    length: links.length,
    head: links.at(-1)?.lineage_hash ?? emptyHead.hash,
    first_divergence: divergence?.seq ?? null,
  };
  const id = links[divergence?.seq ?? -1]?.id;
  const place = divergence && `diverges at seq ${divergence.seq}${id === undefined ? '' : ` (${id})`}`;
  return { verdict, reason: place && `${sessionId} ${place}: ${divergence.reason}` };
}

function findLoss(links: readonly ServedLink[], knownHead: string | undefined): Divergence | null {
  if (knownHead === undefined || links.some(({ lineage_hash }) => lineage_hash === knownHead)) return null;
  return { seq: links.length, reason: 'the chain no longer has the hash that --head names: it was changed or cut' };
}
