/** The member `before` of an entry `events.retention`, as far as it is about events. */
interface ToldRemoval {
  events: number;
  removal?: string;
  anchors?: number;
  anchors_root?: string;
}

/** The anchors of one removal, as the API lists them. */
export interface FoundRemoval {
  /** Events that they cover; NaN where the places of one cannot be. */
  events: number;
  anchors: number;
  /** Of the Merkle tree over them. */
  root: string;
}

/**
 * Compares what retention's removals say in the audit log with the anchors there are. Pure, and without hashing: browsers and Node hash
 * in ways of their own.
 *
 * @param entries payloads of the audit log's chain, which was checked before
 * @param found by the id of the removal; null for anchors from before removals had ids
 * @param emptyRoot the root of a tree without leaves
 * @returns the first difference, in a sentence; null without any
 */
export function judgeRemovals(
  entries: Iterable<Readonly<Record<string, unknown>>>,
  found: ReadonlyMap<string | null, FoundRemoval>,
  emptyRoot: string,
): string | null {
  for (const { events } of found.values()) if (Number.isNaN(events)) return 'an anchor has places that cannot be';
  const left = new Map(found);
  let untied = 0;
  for (const { action, before } of entries) {
    if (action !== 'events.retention') continue;
    const told = before as ToldRemoval | null;
    if (told?.events === undefined) continue;
    // Fewer than none would hide others.
    if (!Number.isSafeInteger(told.events) || told.events < 0)
      return 'a removal took a number of events that cannot be';
    if (told.removal === undefined) {
      untied += told.events;
      continue;
    }
    const kept = left.get(told.removal) ?? { events: 0, anchors: 0, root: emptyRoot };
    left.delete(told.removal);
    if (kept.anchors !== told.anchors)
      return `removal ${told.removal} made ${told.anchors} anchors, and there are ${kept.anchors}`;
    if (kept.root !== told.anchors_root)
      return `the anchors of removal ${told.removal} were changed: their root differs from its own`;
    if (kept.events !== told.events)
      return `removal ${told.removal} took ${told.events} events, and its anchors cover ${kept.events}`;
  }
  const old = left.get(null)?.events ?? 0;
  if (old !== untied) return `removals without a root took ${untied} events, and their anchors cover ${old}`;
  left.delete(null);
  const [unknown] = left.keys();
  return unknown === undefined ? null : `there are anchors of removal ${unknown}, which the audit log does not have`;
}
