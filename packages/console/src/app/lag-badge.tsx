import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../api/status-query.ts';
import { Pill } from '../components/values/pill.tsx';
import { TimeAgo } from '../components/values/time-stamp.tsx';
import type { Tone } from '../format/describe-outcome.ts';
import { formatDuration } from '../format/format-time.ts';

/** Behind by so much, records are late; beyond the second, something stands still. In milliseconds. */
const lateMs = 5_000;
const stuckMs = 60_000;

function judge(lag: number): Tone {
  if (lag < lateMs) return 'good';
  return lag < stuckMs ? 'warn' : 'bad';
}

/** How far what is shown is behind what happens, or that nobody can tell: it says of the writer what the services' list says. */
export function LagBadge() {
  const { data, error } = useQuery(statusQuery);
  if (error)
    return (
      <Pill tone="bad" title={error.message}>
        No connection
      </Pill>
    );
  const { recording, services } = data?.data ?? {};
  if (recording === undefined) return null;
  if (recording === null)
    return (
      <Pill tone="bad" title="The state of recording could not be read">
        Recording: not known
      </Pill>
    );
  if (recording.lag_ms === null) return <Pill title="No event is recorded yet">Nothing recorded yet</Pill>;
  const writer = services?.find(({ name }) => name === 'writer');
  // The latest record is too old to tell whether a writer runs.
  if (writer?.state === 'unknown')
    return (
      <Pill title={`Writer: ${writer.detail}`}>
        <span className="hide-narrow">Last record </span>
        <TimeAgo at={recording.last_recorded_at} />
      </Pill>
    );
  if (writer?.state === 'not_ready')
    return (
      <Pill tone="bad" title={`Writer: ${writer.detail}`}>
        Recording is late
      </Pill>
    );
  return (
    <Pill
      tone={judge(recording.lag_ms)}
      title="How long after its end the latest request was recorded: until then no screen shows it"
    >
      <span className="hide-narrow">Recording </span>
      {formatDuration(recording.lag_ms)} behind
    </Pill>
  );
}
