import { describeOutcome, formatDuration } from '@agp/core/explain';
import type { ServedLink } from '@agp/core/lineage';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Card } from '../components/layout.tsx';
import { OutcomePill, Pill } from '../components/values.tsx';
import { formatLocalTime } from '../format/format.ts';
import { listTurns, type Turn } from './list-turns.ts';

/** Turns that are drawn: a session may have thousands. */
const most = 500;
/** A gap that is worth a line, in milliseconds. */
const leastGap = 1_000;

function TurnLine({ turn, longest }: { turn: Turn; longest: number }) {
  const { id, model, start, took, tools, gap } = turn;
  const { tone } = describeOutcome(turn);
  const at = new Date(start).toISOString();
  return (
    <li>
      <div className="run-turn">
        <Link to="/events/$eventId" params={{ eventId: id }} title={at} className="nowrap">
          {formatLocalTime(at)}
        </Link>
        <span className="run-track" title={model}>
          <span data-tone={tone} style={{ width: `${(100 * (took ?? 0)) / longest}%` }} />
        </span>
        <span className="right nowrap">{took === null ? '–' : formatDuration(took)}</span>
      </div>
      {(tools.length > 0 || tone !== 'good') && (
        <div className="chips run-tools">
          {tone !== 'good' && <OutcomePill event={turn} />}
          {tools.length > 0 && <span className="small dim">called</span>}
          {tools.map((tool) => (
            <Pill key={tool}>{tool}</Pill>
          ))}
        </div>
      )}
      {gap !== null && gap >= leastGap && (
        <div className="small dim run-gap">
          {formatDuration(gap)} until the next turn{tools.length > 0 && ', with these tools'}
        </div>
      )}
    </li>
  );
}

/** A session as a run: how long each turn took, what it called, and what passed in between. */
export function RunCard({ links }: { links: readonly ServedLink[] }) {
  const turns = useMemo(() => listTurns(links.slice(0, most)), [links]);
  const longest = Math.max(1, ...turns.map(({ took }) => took ?? 0));
  const waited = turns.reduce((sum, { took }) => sum + (took ?? 0), 0);
  return (
    <Card
      title="Run"
      aside={
        <span className="small dim">
          {formatDuration(waited)} in models{links.length > most && `, the first ${most} turns`}
        </span>
      }
    >
      <ol className="run">
        {turns.map((turn) => (
          <TurnLine key={turn.id} turn={turn} longest={longest} />
        ))}
      </ol>
    </Card>
  );
}
