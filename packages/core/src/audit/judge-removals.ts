interface ToldRemoval {
  events: number;
  removal?: string;
  anchors?: number;
  anchors_root?: string;
}

export interface FoundRemoval {
  /** Events that they cover; NaN if the places of one cannot be. */
  events: number;
  anchors: number;
  root: string;
}

/**
 * The first difference between the audit log's removals and the anchors, as a sentence, or null. It hashes nothing, since browsers and
 * Node hash differently.
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
