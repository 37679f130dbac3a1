import { Link } from '@tanstack/react-router';
import type { AgentOverview } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Money } from '../../components/values/money.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { MinuteStamp, TimeStamp } from '../../components/values/time-stamp.tsx';
import { describeChange, nameAction, nameActor, sumsUpMinute } from '../../explain/describe-change.ts';
import { describeOutcome, describePii } from '../../format/describe-outcome.ts';
import { mergeTimeline, type TimelineEntry } from './merge-timeline.ts';

function Entry({ entry }: { entry: TimelineEntry }) {
  if (entry.kind === 'change') {
    const { change } = entry;
    return (
      <>
        <div>
          <Pill tone={change.action === 'request.refused' ? 'warn' : 'plain'}>{nameAction(change.action)}</Pill>{' '}
          {describeChange(change)}
        </div>
        <div className="small dim">
          {change.actor.kind === 'proxy' ? 'by the proxy' : `by ${nameActor(change.actor)}`}
          {change.reason && `: “${change.reason}”`}
        </div>
      </>
    );
  }
  const { event } = entry;
  const outcome = describeOutcome(event);
  const pii = describePii(event);
  return (
    <>
      <div>
        <Link to="/events/$eventId" params={{ eventId: event.id }}>
          {event.model}
        </Link>{' '}
        <Pill tone={outcome.tone}>{outcome.text}</Pill> {pii.tone === 'warn' && <Pill tone="warn">personal data</Pill>}
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
