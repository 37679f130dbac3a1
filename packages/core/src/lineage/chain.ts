import type { Event } from '../contracts/event.ts';
import { parseJson } from '../json.ts';

export interface LineageHead {
  length: number;
  hash: string;
}

/** The first link's hash covers `genesis` in place of a previous hash. */
export const emptyHead: LineageHead = { length: 0, hash: 'genesis' };

/** Links that were removed from a chain because they were too old, first and last included. */
export interface RemovedLinks {
  first_seq: number;
  last_seq: number;
  /** Hash of the last one, which the next link's hash covers. */
  lineage_hash: string;
}

/** The head after skipping the removed links that follow it, up to `next`, the place of the next link that still exists. */
export function passRemoved(
  head: LineageHead,
  removed: readonly RemovedLinks[],
  next = Number.POSITIVE_INFINITY,
): LineageHead {
  let { length, hash } = head;
  for (const { first_seq, last_seq, lineage_hash } of removed) {
    if (first_seq > length || last_seq < length || last_seq >= next) continue;
    length = last_seq + 1;
    hash = lineage_hash;
  }
  return { length, hash };
}

export interface ServedLink {
  seq: number;
  id: string;
  lineage_hash: string;
  payload: string;
}

export interface Divergence {
  seq: number;
  reason: string;
}

function readPayload(payload: string): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(payload);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/**
 * Judges one link of a chain, whose payload must have the members of `owner`. Without hashing: browsers and Node hash in ways of their own.
 * Returns null if nothing was changed.
 */
export function judgeLink(
  link: ServedLink,
  { seq, computed }: { seq: number; computed: string },
  owner: Record<string, unknown> = {},
): Divergence | null {
  if (link.lineage_hash !== computed)
    return { seq, reason: 'its hash is not that of the payload and of the hash before it' };
  const payload = readPayload(link.payload);
  const expected = { seq, id: link.id, ...owner };
  const wrong = Object.entries(expected).find(([member, value]) => payload?.[member] !== value);
  if (wrong !== undefined) return { seq, reason: `its payload has another ${wrong[0]} than what it is shown as` };
  return link.seq === seq ? null : { seq, reason: `it is shown as number ${link.seq}` };
}

/** Kept in place of a run of links that retention removed from a session's chain. */
export interface Anchor extends RemovedLinks {
  session_id: string;
}

/** NaN for places that no run can have: counted, they would hide others. */
export function countLinks({ first_seq, last_seq }: RemovedLinks): number {
  const areKnown = Number.isSafeInteger(first_seq) && Number.isSafeInteger(last_seq);
  return areKnown && first_seq >= 0 && last_seq >= first_seq ? last_seq - first_seq + 1 : Number.NaN;
}

/** An anchor as a leaf of its removal's Merkle tree: RFC 8785 canonical JSON of exactly these members. */
export function anchorLeaf({ first_seq, last_seq, lineage_hash, session_id }: Anchor): string {
  return JSON.stringify({ first_seq, last_seq, lineage_hash, session_id });
}

/**
 * Whether the end of a chain was cut off: what was recorded after its head was read only makes it longer than the head says. `reached` is
 * where the checked chain ends, removed links included.
 */
export function findCut(
  head: LineageHead,
  links: readonly ServedLink[],
  removed: readonly RemovedLinks[],
  reached: LineageHead,
): Divergence | null {
  if (reached.length < head.length) {
    const reason = `it was cut off here: by its head, which is stored apart from it, it has a length of ${head.length}`;
    return { seq: reached.length, reason };
  }
  if (head.length === 0) return null;
  const seq = head.length - 1;
  const last = links.find((link) => link.seq === seq) ?? removed.find(({ last_seq }) => last_seq === seq);
  // Inside of a run that was removed meanwhile, nothing shows that hash any more.
  if (last === undefined || last.lineage_hash === head.hash) return null;
  return { seq, reason: 'its hash is not that of the head, which is stored apart from the chain' };
}

const sharedFields = [
  ...(['id', 'agent_id', 'session_id', 'timestamp', 'direction', 'model', 'provider', 'prompt_tokens'] as const),
  ...(['completion_tokens', 'total_tokens', 'cost_usd', 'compliance_tag', 'pii_detected', 'pii_types'] as const),
];

export function findOtherField(event: Event, written: Readonly<Record<string, unknown>>): keyof Event | undefined {
  return sharedFields.find((field) => JSON.stringify(event[field]) !== JSON.stringify(written[field]));
}

/** The first event of a checked chain that the API shows differently, or not at all. */
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

/**
 * A server that says invalid is believed, since it sees columns that no download shows; one that says valid is not.
 */
export function findRefusal({
  valid,
  first_divergence,
}: {
  valid: boolean;
  first_divergence: number | null;
}): Divergence | null {
  return valid
    ? null
    : { seq: first_divergence ?? 0, reason: 'the server itself finds that it is not as it was written' };
}
