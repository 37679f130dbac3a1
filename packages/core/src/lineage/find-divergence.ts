import { parseJson } from '../json/index.ts';
import { emptyHead, hashLink, passRemoved, type RemovedLinks } from './link.ts';

/** One link of a chain as the API serves it: of a session, or of the audit log. */
export interface ServedLink {
  seq: number;
  /** Public id of the event or entry. */
  id: string;
  lineage_hash: string;
  payload: string;
}

/** The first place where a chain is not as it was written, and what is wrong there. */
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
 * Recomputes every hash of a chain from its first link on, and compares each payload with the fields shown with it. After removed
 * links it continues from the hash of the last of them; any other missing link is a divergence.
 *
 * @param owner members that every payload must have with these values, for example the session's id
 * @param removed in their order
 * @returns null where nothing was changed
 */
export function findDivergence(
  links: readonly ServedLink[],
  owner: Record<string, unknown> = {},
  removed: readonly RemovedLinks[] = [],
): Divergence | null {
  let head = emptyHead;
  for (const link of links) {
    const { length: seq, hash: previous } = passRemoved(head, removed, link.seq);
    if (link.lineage_hash !== hashLink(previous, link.payload)) {
      return { seq, reason: 'its hash is not that of the payload and of the hash before it' };
    }
    head = { length: seq + 1, hash: link.lineage_hash };
    const payload = readPayload(link.payload);
    const expected = { seq, id: link.id, ...owner };
    const wrong = Object.entries(expected).find(([member, value]) => payload?.[member] !== value);
    if (wrong !== undefined) return { seq, reason: `its payload has another ${wrong[0]} than what it is shown as` };
    if (link.seq !== seq) return { seq, reason: `it is shown as number ${link.seq}` };
  }
  return null;
}
