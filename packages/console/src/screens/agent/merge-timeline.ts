import type { AgentOverview } from '../../api/shapes.ts';
import { sumsUpMinute } from '../../explain/describe-change.ts';
import { endOfMinute } from '../../format/format-time.ts';

type Event = AgentOverview['events'][number];
type Change = AgentOverview['changes'][number];

/** Something that an agent did, or that was done about it. */
export type TimelineEntry = { key: string; at: string } & (
  | { kind: 'event'; event: Event }
  | { kind: 'change'; change: Change }
);

/** When it was over: what sums up a minute stands after all that may have led to it. */
const endOf = (entry: TimelineEntry) =>
  entry.kind === 'change' && sumsUpMinute(entry.change.action) ? endOfMinute(entry.at) : entry.at;

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
  return entries.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : endOf(a) > endOf(b) ? -1 : 0));
}
