import { hexSha256 } from '#sha256';
import type { Event } from '../contracts/event.ts';
import { parseJson } from '../json.ts';

export interface LineageHead {
  length: number;
  hash: string;
}

/** The first link's hash covers `genesis` in place of a previous hash. */
export const emptyHead: LineageHead = { length: 0, hash: 'genesis' };

/** `sha256:` and the hex SHA-256 of the UTF-8 bytes of the previous hash followed by the payload. */
export function hashLink(previousHash: string, payload: string): string {
  return `sha256:${hexSha256(previousHash, payload)}`;
}

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

interface Divergence {
  seq: number;
  reason: string;
}

/** One link that was checked. */
export interface CheckedLink {
  /** Its place by what is before it. */
  seq: number;
  id: string;
  previous: string;
  payload: string;
  /** The hash that was computed here. */
  computed: string;
  /** The hash that the server shows. */
  shown: string;
  /** Null if it is as it was written. */
  fault: string | null;
}

export interface ChainCheck {
  /** How many links were looked at. */
  checked: number;
  /** The first link that is not as it was written. */
  divergence: Divergence | null;
  /** The end of the chain as it is served, removed links included. */
  head: LineageHead;
}

function readPayload(payload: string): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(payload);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function findFault(link: ServedLink, seq: number, computed: string, owner: Record<string, unknown>): string | null {
  if (link.lineage_hash !== computed) return 'its hash is not that of the payload and of the hash before it';
  const payload = readPayload(link.payload);
  const expected = { seq, id: link.id, ...owner };
  const wrong = Object.entries(expected).find(([member, value]) => payload?.[member] !== value);
  if (wrong !== undefined) return `its payload has another ${wrong[0]} than what it is shown as`;
  return link.seq === seq ? null : `it is shown as number ${link.seq}`;
}

/**
 * Recomputes every hash of a chain from its first link on, and compares each payload with the fields shown with it and with `owner`. After
 * removed links it continues from the last hash of them; any other missing link is a divergence. Gives each link as it was checked, so
 * that a page can breathe in between; the last one is the first that was changed.
 */
export function* checkChain(
  links: readonly ServedLink[],
  owner: Record<string, unknown> = {},
  removed: readonly RemovedLinks[] = [],
): Generator<CheckedLink, ChainCheck> {
  const last = links.at(-1);
  const end = passRemoved(last ? { length: last.seq + 1, hash: last.lineage_hash } : emptyHead, removed);
  let head = emptyHead;
  let checked = 0;
  for (const link of links) {
    const { id, payload, lineage_hash: shown } = link;
    const { length: seq, hash: previous } = passRemoved(head, removed, link.seq);
    const computed = hashLink(previous, payload);
    const fault = findFault(link, seq, computed, owner);
    checked += 1;
    yield { seq, id, previous, payload, computed, shown, fault };
    if (fault !== null) return { checked, divergence: { seq, reason: fault }, head: end };
    head = { length: seq + 1, hash: shown };
  }
  return { checked, divergence: null, head: end };
}

/** What the server itself says of a chain. */
interface Verdict {
  valid: boolean;
  length: number;
  head: string;
  first_divergence: number | null;
}

/** What the API shows of a session beside its chain. */
interface ServedSession {
  session_id: string;
  events: readonly Event[];
  removed: readonly RemovedLinks[];
}

/**
 * The same with all that the API serves of a chain: its end is compared with its head, and each event that is shown with its link. Must be
 * read in this order, so that what is recorded in between is no fault.
 */
export function* checkServedChain(
  told: Verdict,
  links: readonly ServedLink[],
  session?: ServedSession,
): Generator<CheckedLink, ChainCheck> {
  const removed = session?.removed ?? [];
  const check = yield* checkChain(links, session && { session_id: session.session_id }, removed);
  const divergence =
    check.divergence ??
    findCut({ length: told.length, hash: told.head }, links, removed, check.head) ??
    (session && findMisshown(links, session.events, removed)) ??
    findRefusal(told);
  return { ...check, divergence };
}

/** Runs a check to its end at once. */
export function finishCheck(check: Generator<CheckedLink, ChainCheck>): ChainCheck {
  for (;;) {
    const step = check.next();
    if (step.done) return step.value;
  }
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

/** The first event of a checked chain that the API shows differently, or not at all. */
function findMisshown(
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
    const other = sharedFields.find((field) => JSON.stringify(event[field]) !== JSON.stringify(written[field]));
    const wrong = event.lineage_hash === lineage_hash ? other : 'lineage_hash';
    if (wrong !== undefined) return { seq, reason: `the API shows another ${wrong} than the chain has` };
  }
  return null;
}

/** A server that says invalid is believed, since it sees columns that no download shows; one that says valid is not. */
function findRefusal({ valid, first_divergence }: Verdict): Divergence | null {
  return valid
    ? null
    : { seq: first_divergence ?? 0, reason: 'the server itself finds that it is not as it was written' };
}
