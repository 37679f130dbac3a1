import type { Budget } from '../../api/shapes.ts';
import { useNow } from '../../components/values/use-now.ts';
import { formatUsd } from '../../format/format-money.ts';
import { formatTime } from '../../format/format-time.ts';
import { projectSpend } from '../../format/project-spend.ts';

/** When a cap will be used up if today goes on as it went until now. */
export function Outlook({
  budget,
}: {
  budget: Pick<Budget, 'spent_usd' | 'reserved_usd' | 'daily_cap_usd' | 'warn_only'>;
}) {
  const now = useNow();
  const { spent_usd, reserved_usd, daily_cap_usd, warn_only } = budget;
  const projection = projectSpend(spent_usd + reserved_usd, daily_cap_usd, now);
  if (projection.kind === 'none') return <span className="dim">–</span>;
  if (projection.kind === 'exhausted') return <strong className={warn_only ? 'tone-warn' : 'tone-bad'}>used up</strong>;
  if (projection.kind === 'safe')
    return <span className="dim">{formatUsd(projection.endOfDayUsd)} by midnight UTC</span>;
  return (
    <span className="tone-warn">used up at {formatTime(new Date(projection.at).toISOString(), now).slice(0, -3)}</span>
  );
}
