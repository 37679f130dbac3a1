import type { BudgetUse, Unit } from '@agp/budgets';
import type { Tone } from '@agp/core/explain';
import { formatAmount, formatShare } from '../format/format.ts';

interface MeterProps {
  /** What it is of, for those who cannot see it. */
  label: string;
  /** Its amounts. */
  text: string;
  title: string;
  /** Parts of the whole. */
  used: number;
  held: number;
  tone: Tone;
  /** Parts of the whole at which there is a line. */
  marks?: readonly number[];
  /** The part that is expected at the end; null if nobody can say. */
  expected?: number | null;
}

const inPercent = (part: number) => `${100 * Math.min(1, part)}%`;

/** What is used and held of a whole. */
export function Meter({ label, text, title, used, held, tone, marks = [], expected = null }: MeterProps) {
  const share = Math.min(1, used);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <meter> cannot show two parts.
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * share)}
      aria-valuetext={text}
      title={title}
      className="cap-track"
      data-tone={tone}
    >
      <div className="spent" style={{ width: inPercent(share) }} />
      <div className="held" style={{ width: inPercent(Math.min(1 - share, held)) }} />
      {marks
        .filter((at) => at < 1)
        .map((at) => (
          <i key={at} className="mark" style={{ left: inPercent(at) }} />
        ))}
      {expected !== null && <i className="expected" style={{ left: `calc(${inPercent(expected)} - 3px)` }} />}
    </div>
  );
}

/** What a bar of a budget is drawn of. */
export interface BudgetAmount {
  unit: Unit;
  amount: number;
  on_exceeded: 'observe' | 'warn' | 'refuse';
  /** Percent of the amount. */
  thresholds?: readonly number[];
}

/** A part of a budget; one of nothing is used up from the start. */
export const partOf = (used: number, amount: number): number => (amount === 0 ? 1 : used / amount);

function judge(part: number, { on_exceeded, thresholds = [] }: BudgetAmount): Tone {
  if (part >= 1) return on_exceeded === 'refuse' ? 'bad' : 'warn';
  const last = Math.max(...thresholds.filter((percent) => percent < 100));
  return 100 * part >= last ? 'warn' : 'plain';
}

/** A budget's bar with its share beside it; lines are its thresholds, the point is where it is expected to end. */
export function BudgetBar({
  of,
  use,
  whose,
}: {
  of: BudgetAmount;
  use: Omit<BudgetUse, 'key' | 'name'>;
  whose: string;
}) {
  const { unit, amount, thresholds = [] } = of;
  const [used, held] = [partOf(use.used, amount), amount === 0 ? 0 : use.held / amount];
  const text = `${formatAmount(use.used, unit)} of ${formatAmount(amount, unit)}`;
  const more = [
    ...(use.held > 0 ? [`${formatAmount(use.held, unit)} held by running requests`] : []),
    ...(thresholds.length > 0 ? [`lines at ${thresholds.join(', ')} %`] : []),
    ...(use.expected === null ? [] : [`${formatAmount(use.expected, unit)} at its end, at this pace`]),
  ];
  return (
    <div className="cap-line">
      <Meter
        label={`Used of ${whose}`}
        text={text}
        title={[text, ...more].join('; ')}
        used={used}
        held={held}
        tone={judge(used + held, of)}
        marks={thresholds.map((percent) => percent / 100)}
        expected={use.expected === null ? null : partOf(use.expected, amount)}
      />
      <span className="small">{formatShare(used)}</span>
    </div>
  );
}
