import type { BudgetDefinition, BudgetUse } from '@agp/budgets';
import type { ListedAgent } from '@agp/core/contracts';
import { formatShare } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../api/api.ts';
import { formatLocalTime, noRoomMeaning, projectSpend, roundCap, roundUsd } from '../format/format.ts';
import { Meter, partOf } from './meter.tsx';
import { Pill, useNow } from './values.tsx';

/** A daily cap and what counts against it, as the API has it: USD. */
export interface Capped {
  daily_cap_usd: number | null;
  spent_usd?: number | undefined;
  /** Held by running requests. */
  reserved_usd?: number;
  warn_only?: boolean | undefined;
}

/** The bar of an agent in a list. */
export const capOf = ({ daily_cap_usd = null, cost_today_usd, warn_only }: ListedAgent): Capped => ({
  ...{ daily_cap_usd, spent_usd: cost_today_usd, warn_only },
});

const noRoom = (title: string) => (
  <Pill tone="bad" title={title}>
    no room
  </Pill>
);

/** That an agent has no room for its next request; nothing if it has. */
export const NoRoom = ({ since }: { since: string | null }) => since !== null && noRoom(noRoomMeaning);

interface NothingLeftProps {
  use: BudgetUse | undefined;
  beyond: BudgetDefinition['on_exceeded'];
}

/** The same of a budget that refuses, once nothing of it is left. */
export const NothingLeft = ({ use, beyond }: NothingLeftProps) =>
  use && use.left <= 0 && beyond === 'refuse' && noRoom('Nothing of it is left: the next request is refused.');

interface CapBarProps {
  of: Capped;
  /** Whose cap it is, for those who cannot see the bar. */
  whose: string;
  /** Without the line of text below. */
  bare?: boolean;
  /** Behind the amounts. */
  what?: string;
}

export function CapBar({ of, whose, bare = false, what = '' }: CapBarProps) {
  const { spent_usd: spent = 0, reserved_usd: reserved = 0, daily_cap_usd: cap, warn_only: warnOnly } = of;
  if (cap === null)
    return <span className="small dim">no cap{!bare && reserved > 0 && `, ${roundUsd(reserved)} held`}</span>;
  const bar = {
    label: `Daily cap of ${whose}`,
    amount: cap,
    beyond: warnOnly ? 'warn' : 'refuse',
    use: { used: spent, held: reserved },
  } as const;
  if (bare) return <Meter {...bar} />;
  return (
    <div>
      <Meter {...bar} alone />
      <div className="small dim">
        {roundUsd(spent)} of {roundCap(cap)}
        {warnOnly && ' (warns only)'} {what} · {formatShare(partOf(spent, cap))}
        {reserved > 0 && ` · ${roundUsd(reserved)} held`}
      </div>
    </div>
  );
}

const hourMs = 3_600_000;
/** Agents whose pace a list knows: the dearest of the hour. */
const most = 1_000;

/**
 * What was spent in the last 60 minutes, in USD: in this hour, and in the part of the one before that is not older; undefined until it is
 * known.
 * @param of all agents together, each of them, or one by its id
 */
export function useLastHour(of: 'all' | 'each' | { agent_id: string }): (agentId?: string) => number | undefined {
  const now = Date.now();
  const hour = now - (now % hourMs);
  const groups = of === 'each' ? ['agent'] : [];
  const useHour = (from: number, to?: number) =>
    useQuery({
      ...usageQuery(
        {
          ...{ from: new Date(from).toISOString(), to: to === undefined ? to : new Date(to).toISOString() },
          ...(typeof of === 'object' && of),
        },
        groups,
        of === 'each' ? most : undefined,
      ),
      refetchInterval: 60_000,
    }).data?.data.usage;
  const [latest, before] = [useHour(hour), useHour(hour - hourMs, hour)];
  return (agentId) => {
    const sum = (usage: typeof latest) =>
      usage?.find(({ agent_id }) => of !== 'each' || agent_id === agentId)?.total_cost_usd ?? 0;
    return latest && before && sum(latest) + sum(before) * (1 - (now % hourMs) / hourMs);
  };
}

/**
 * When a daily cap will be used up if the day goes on as the last hour went.
 * @param line as a line below a bar, which shows by itself what is used up
 */
export function Outlook({ of, lastHour, line }: { of: Capped; lastHour: number | undefined; line?: boolean }) {
  const { spent_usd = 0, reserved_usd = 0, daily_cap_usd, warn_only } = of;
  const now = useNow();
  const projection = projectSpend(spent_usd + reserved_usd, daily_cap_usd, lastHour, now);
  if (projection.kind === 'none') return line ? null : <span className="dim">–</span>;
  if (projection.kind === 'exhausted')
    return line ? null : <strong className={warn_only ? 'tone-warn' : 'tone-bad'}>used up</strong>;
  const text =
    projection.kind === 'safe' ? (
      <span className="dim">{roundUsd(projection.endOfDayUsd)} by midnight UTC</span>
    ) : (
      <span className="tone-warn">
        used up at {formatLocalTime(new Date(projection.at).toISOString(), now).slice(0, -3)}
      </span>
    );
  return line ? <div className="small">At the last hour’s pace: {text}</div> : text;
}

/** A cap, what is spent of it, and how long it will do. */
export function CapOutlook({ pace, ...bar }: CapBarProps & { pace: Parameters<typeof useLastHour>[0] }) {
  return (
    <>
      <CapBar {...bar} />
      <Outlook of={bar.of} lastHour={useLastHour(pace)()} line />
    </>
  );
}
