import { Link } from '@tanstack/react-router';
import type { ListedEvent } from '../../api/shapes.ts';
import type { Column } from '../../components/lists/rows-table.tsx';
import { Money } from '../../components/values/money.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { AgentLink, SessionLink } from '../../components/values/references.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';
import { describeOutcome, describePii } from '../../format/describe-outcome.ts';
import { formatCount } from '../../format/format-count.ts';

/** Columns that every list of events has. */
type Shown = Pick<
  ListedEvent,
  'id' | 'timestamp' | 'model' | 'prompt_tokens' | 'completion_tokens' | 'cost_usd' | 'pii_detected'
> &
  Partial<Pick<ListedEvent, 'outcome' | 'http_status' | 'failure' | 'pii_types' | 'pii_scan'>>;

const time: Column<Shown> = {
  head: 'Time',
  cell: ({ id, timestamp }) => (
    <Link to="/events/$eventId" params={{ eventId: id }}>
      <TimeStamp at={timestamp} />
    </Link>
  ),
};

const rest: Column<Shown>[] = [
  { head: 'Model', cell: ({ model }) => model },
  {
    head: 'Result',
    cell: (event) => {
      const { text, tone } = describeOutcome(event);
      return <Pill tone={tone}>{text}</Pill>;
    },
  },
  {
    head: 'Tokens',
    right: true,
    cell: ({ prompt_tokens, completion_tokens }) => (
      <span title={`${formatCount(prompt_tokens)} in, ${formatCount(completion_tokens)} out`}>
        {formatCount(prompt_tokens + completion_tokens)}
      </span>
    ),
  },
  { head: 'Cost', right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
  {
    head: 'Personal data',
    cell: (event) => {
      const { text, tone } = describePii(event);
      return tone === 'plain' ? (
        <span className="dim">{text}</span>
      ) : (
        <Pill tone={tone}>{text.replaceAll('_', ' ')}</Pill>
      );
    },
  },
];

/** Of one agent's or one session's events. */
export const ownEventColumns: readonly Column<Shown>[] = [time, ...rest];

/** Of all agents' events. */
export const eventColumns: readonly Column<ListedEvent>[] = [
  time,
  { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
  { head: 'Session', cell: ({ session_id }) => <SessionLink id={session_id} /> },
  ...rest,
];
