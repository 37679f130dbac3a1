import type { AgentOverview } from '../../api/shapes.ts';

type Event = AgentOverview['events'][number];
type Change = AgentOverview['changes'][number];

/** Something that an agent did, or that was done about it. */
export type TimelineEntry = { key: string; at: string } & (
  | { kind: 'event'; event: Event }
  | { kind: 'change'; change: Change }
);

/** One list of both, the latest first. Times are ISO 8601 in UTC, so they sort as texts. */
export function mergeTimeline(events: readonly Event[], changes: readonly Change[]): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...events.map((event) => ({ kind: 'event' as const, key: event.id, at: event.timestamp, event })),
    ...changes.map((change, index) => ({
      kind: 'change' as const,
      // Refused requests of a minute that is not over have no id yet.
      key: change.id ?? `open ${change.timestamp} ${index}`,
      at: change.timestamp,
      change,
    })),
  ];
  return entries.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
