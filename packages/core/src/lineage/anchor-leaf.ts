import type { RemovedLinks } from './link.ts';

/** What retention kept of a run of links that it removed from a session's chain. */
export interface Anchor extends RemovedLinks {
  session_id: string;
}

/**
 * The text by which an anchor is a leaf of its removal's Merkle tree: RFC 8785 canonical JSON of exactly these members. A
 * session id, a hash and two small whole numbers have one spelling in JSON, so with its members in order `JSON.stringify`
 * writes it.
 */
export function anchorLeaf({ first_seq, last_seq, lineage_hash, session_id }: Anchor): string {
  return JSON.stringify({ first_seq, last_seq, lineage_hash, session_id });
}
