import { emptyHead, hashLink } from './link.ts';

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
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/**
 * Computes every hash of a chain anew, from its first link on, and compares what stands beside each payload with what is in it.
 *
 * @param owner members that every payload must have with these values, for example the session's id
 * @returns null where the chain is as it was written
 */
export function findDivergence(links: readonly ServedLink[], owner: Record<string, unknown> = {}): Divergence | null {
  let previous = emptyHead.hash;
  for (const [seq, link] of links.entries()) {
    if (link.lineage_hash !== hashLink(previous, link.payload)) {
      return { seq, reason: 'its hash is not that of the payload and of the hash before it' };
    }
    previous = link.lineage_hash;
    const payload = readPayload(link.payload);
    const expected = { seq, id: link.id, ...owner };
    const wrong = Object.entries(expected).find(([member, value]) => payload?.[member] !== value);
    if (wrong !== undefined) return { seq, reason: `its payload has another ${wrong[0]} than what it is shown as` };
    if (link.seq !== seq) return { seq, reason: `it is shown as number ${link.seq}` };
  }
  return null;
}
