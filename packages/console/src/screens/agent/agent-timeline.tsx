import type { AgentOverview } from '@agp/core/contracts';
import { describePii } from '@agp/core/explain';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { MinuteStamp, Money, OutcomePill, Pill, TimeStamp } from '../../components/values.tsx';
import { endOfMinute, nameAction, nameActor, sumsUpMinute, tellChange } from '../../format/format.ts';

type Event = AgentOverview['events'][number];
type Change = AgentOverview['changes'][number];

/** Something that an agent did, or that was done about it. */
type TimelineEntry = { key: string; at: string } & (
  | { kind: 'event'; event: Event }
  | { kind: 'change'; change: Change }
);

/** When it was over: what sums up a minute stands after all that may have led to it. */
const endOf = (entry: TimelineEntry) =>
  entry.kind === 'change' && sumsUpMinute(entry.change.action) ? endOfMinute(entry.at) : entry.at;

/** One list of both, the latest first. Times are ISO 8601 in UTC, so they sort as texts. */
function mergeTimeline(events: readonly Event[], changes: readonly Change[]): TimelineEntry[] {
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

function Entry({ entry }: { entry: TimelineEntry }) {
  if (entry.kind === 'change') {
    const { change } = entry;
    return (
      <>
        <div>
          <Pill tone={change.action === 'request.refused' ? 'warn' : 'plain'}>{nameAction(change.action)}</Pill>{' '}
          {tellChange(change)}
        </div>
        <div className="small dim">
          {change.actor.kind === 'proxy' ? 'by the proxy' : `by ${nameActor(change.actor)}`}
          {change.reason && `: “${change.reason}”`}
        </div>
      </>
    );
  }
  const { event } = entry;
  const pii = describePii(event);
  return (
    <>
      <div>
        <Link to="/events/$eventId" params={{ eventId: event.id }}>
          {event.model}
        </Link>{' '}
        <OutcomePill event={event} /> {pii.tone === 'warn' && <Pill tone="warn">personal data</Pill>}
      </div>
      <div className="small dim">
        {event.prompt_tokens} tokens in, {event.completion_tokens} out, <Money usd={event.cost_usd} />
      </div>
    </>
  );
}

/** What it did and what was done about it, the latest first. */
export function AgentTimeline({ overview }: { overview: AgentOverview }) {
  const entries = mergeTimeline(overview.events, overview.changes);
  return (
    <Card
      title="Timeline"
      aside={
        <span className="small">
          <Link to="/events" search={{ agent_id: overview.agent.id }}>
            All events
          </Link>{' '}
          ·{' '}
          <Link to="/audit" search={{ agent_id: overview.agent.id }}>
            All changes
          </Link>
        </span>
      }
    >
      {entries.length === 0 ? (
        <EmptyState title="Nothing yet">Its requests and what is changed about it appear here.</EmptyState>
      ) : (
        <ol className="timeline">
          {entries.map((entry) => (
            <li key={entry.key} data-kind={entry.kind}>
              <div className="small">
                {entry.kind === 'change' && sumsUpMinute(entry.change.action) ? (
                  <MinuteStamp at={entry.at} />
                ) : (
                  <TimeStamp at={entry.at} />
                )}
              </div>
              <div>
                <Entry entry={entry} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
