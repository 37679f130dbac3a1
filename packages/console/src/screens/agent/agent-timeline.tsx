import { type AgentOverview, mostOverviewEvents } from '@agp/core/contracts';
import { describeOutcome, describePii, formatCount } from '@agp/core/explain';
import { sumUsd } from '@agp/core/money';
import { Link } from '@tanstack/react-router';
import { Cost } from '../../components/cost.tsx';
import { EmptyState } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { MinuteStamp, OutcomePill, Pill, TimeStamp } from '../../components/values.tsx';
import { endOfMinute, nameActor, nameEntry, sumsUpMinute, tellChange } from '../../format/format.ts';

type Event = AgentOverview['events'][number];
type Change = AgentOverview['changes'][number];

/** Something that an agent did, or that was done about it. */
type TimelineEntry = { key: string; at: string } & (
  | { kind: 'event'; event: Event; alike: readonly Event[] }
  | { kind: 'change'; change: Change }
);

/** When it was over: what sums up a minute stands after all that may have led to it. */
const endOf = (entry: TimelineEntry) =>
  entry.kind === 'change' && sumsUpMinute(entry.change.action) ? endOfMinute(entry.at) : entry.at;

/** One list of both, the latest first. Times are ISO 8601 in UTC, so they sort as texts. */
function mergeTimeline(events: readonly Event[], changes: readonly Change[]): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...events.map((event) => ({ kind: 'event' as const, key: event.id, at: event.timestamp, event, alike: [event] })),
    ...changes.map((change, index) => ({
      kind: 'change' as const,
      // Refused requests of a minute that is not over have no id yet.
      key: change.id ?? `open ${change.timestamp} ${index}`,
      at: change.timestamp,
      change,
    })),
  ];
  return foldAlike(entries.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : endOf(a) > endOf(b) ? -1 : 0)));
}

/** What is said of a request but what it used. */
const tell = (event: Event) => [event.model, describeOutcome(event).text, describePii(event).tone].join();

/** Requests after each other of which the same is said become one entry. */
function foldAlike(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const folded: TimelineEntry[] = [];
  for (const entry of entries) {
    const last = folded.at(-1);
    if (entry.kind === 'event' && last?.kind === 'event' && tell(entry.event) === tell(last.event))
      folded[folded.length - 1] = { ...last, alike: [...last.alike, entry.event] };
    else folded.push(entry);
  }
  return folded;
}

/** @param oldest of the events that were read */
function Entry({ entry, oldest }: { entry: TimelineEntry; oldest: Event | undefined }) {
  if (entry.kind === 'change') {
    const { change } = entry;
    return (
      <>
        <div>
          <Pill tone={change.action === 'request.refused' ? 'warn' : 'plain'}>{nameEntry(change)}</Pill>{' '}
          {tellChange(change)}
        </div>
        <div className="small dim">
          {change.actor.kind === 'proxy' ? 'by the proxy' : `by ${nameActor(change.actor)}`}
          {change.reason && `: “${change.reason}”`}
        </div>
      </>
    );
  }
  const { event, alike } = entry;
  const pii = describePii(event);
  const sum = (of: (each: Event) => number) => alike.reduce((total, each) => total + of(each), 0);
  const [tokensIn, tokensOut] = [sum((each) => each.prompt_tokens), sum((each) => each.completion_tokens)];
  return (
    <div>
      <Link to="/events/$eventId" params={{ eventId: event.id }}>
        {event.model}
      </Link>{' '}
      <OutcomePill event={event} /> {pii.tone === 'warn' && <Pill tone="warn">personal data</Pill>}{' '}
      {alike.length > 1 && <strong>× {formatCount(alike.length)}</strong>}
      {alike.length > 1 && alike.at(-1) === oldest && ` of the latest ${mostOverviewEvents}`}{' '}
      <span className="small dim">
        {formatCount(tokensIn)} tokens in, {formatCount(tokensOut)} out,{' '}
        <Cost usd={sumUsd(alike.map((each) => each.cost_usd))} tokens={tokensIn + tokensOut} model={event.model} />
      </span>
    </div>
  );
}

/** What it did and what was done about it, the latest first. */
export function AgentTimeline({ overview }: { overview: AgentOverview }) {
  const entries = mergeTimeline(overview.events, overview.changes);
  const oldest = overview.events[mostOverviewEvents - 1];
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
                  <>
                    <TimeStamp at={entry.at} />
                    {entry.kind === 'event' && entry.alike.length > 1 && (
                      <div className="dim">
                        from <TimeStamp at={entry.alike.at(-1)?.timestamp} />
                      </div>
                    )}
                  </>
                )}
              </div>
              <div>
                <Entry entry={entry} oldest={oldest} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
