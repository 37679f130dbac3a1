import { parseJson } from '../json/index.ts';

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
 * Judges one link of a chain. Pure, and without hashing: browsers and Node hash in ways of their own.
 *
 * @param seq the place that the link has by what is before it
 * @param computed the hash that the link has by its payload and the hash before it
 * @param owner members that the payload must have with these values, for example the session's id
 * @returns null where nothing was changed
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
