import type { Event } from '../contracts/event.ts';
import { parseJson } from '../json/index.ts';
import type { RemovedLinks } from './head.ts';
import type { Divergence, ServedLink } from './judge-link.ts';

/** Fields of an event that its payload also has. */
const sharedFields = [
  ...(['id', 'agent_id', 'session_id', 'timestamp', 'direction', 'model', 'provider', 'prompt_tokens'] as const),
  ...(['completion_tokens', 'total_tokens', 'cost_usd', 'compliance_tag', 'pii_detected', 'pii_types'] as const),
];

/** The first field that an event and its payload show differently. @param written the payload, parsed */
export function findOtherField(event: Event, written: Readonly<Record<string, unknown>>): keyof Event | undefined {
  return sharedFields.find((field) => JSON.stringify(event[field]) !== JSON.stringify(written[field]));
}

/**
 * The first event of a chain that the API shows differently, or not at all.
 *
 * @param links of a chain that was checked before
 */
export function findMisshown(
  links: readonly ServedLink[],
  events: readonly Event[],
  removed: readonly RemovedLinks[],
): Divergence | null {
  const shown = new Map(events.map((event) => [event.id, event]));
  for (const { seq, id, lineage_hash, payload } of links) {
    const event = shown.get(id);
    // Removed while we downloaded.
    if (event === undefined && removed.some(({ first_seq, last_seq }) => first_seq <= seq && seq <= last_seq)) continue;
    if (event === undefined) return { seq, reason: 'the API does not list it among the events of the session' };
    const written = parseJson(payload) as Record<string, unknown>;
    const other = findOtherField(event, written);
    const wrong = event.lineage_hash === lineage_hash ? other : 'lineage_hash';
    if (wrong !== undefined) return { seq, reason: `the API shows another ${wrong} than the chain has` };
  }
  return null;
}
