import type { Unit } from '@agp/budgets';
import { formatShare } from '@agp/core/explain';
import { formatAmount } from '../format/format.ts';

const suffixes = { observe: ' (only counted)', warn: ' (warns only)', refuse: '' };

interface MeterProps {
  /** What it is of, for those who cannot see it. */
  label: string;
  amount: number;
  unit?: Unit;
  /** `expected` is what is used at the end if it goes on so; null if nobody can say. */
  use: { used: number; held: number; expected?: number | null };
  /** What becomes of requests that would pass the amount. */
  beyond?: keyof typeof suffixes;
  /** Percent at which there is a line; beyond the last of them it is shown as nearly used up. */
  lines?: readonly number[];
  /** Without its share beside it. */
  alone?: boolean;
}

const inPercent = (part: number) => `${100 * Math.min(1, part)}%`;

/** A part of an amount; one of nothing is used up from the start. */
export const partOf = (used: number, amount: number): number => (amount === 0 ? 1 : used / amount);

/** What is used and held of an amount, as a bar. */
export function Meter(props: MeterProps) {
  const { label, amount, unit = 'usd', use, beyond = 'refuse', lines = [80], alone = false } = props;
  const { used, held, expected = null } = use;
  const [part, whole] = [partOf(used, amount), partOf(used + held, amount)];
  const isNear = 100 * whole >= Math.max(...lines.filter((percent) => percent < 100));
  const text = `${formatAmount(used, unit)} of ${formatAmount(amount, unit)}${suffixes[beyond]}`;
  const bar = (
    // biome-ignore lint/a11y/useSemanticElements: a <meter> cannot show two parts.
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * Math.min(1, part))}
      aria-valuetext={text}
      title={`${text}${held > 0 ? `; ${formatAmount(held, unit)} held by running requests` : ''}`}
      className="cap-track"
      data-tone={whole >= 1 && beyond === 'refuse' ? 'bad' : whole >= 1 || isNear ? 'warn' : 'plain'}
    >
      <div className="spent" style={{ width: inPercent(part) }} />
      <div className="held" style={{ width: inPercent(Math.min(1 - Math.min(1, part), whole - part)) }} />
      {lines.map((percent) => percent < 100 && <i key={percent} className="mark" style={{ left: `${percent}%` }} />)}
      {expected !== null && (
        <i className="expected" style={{ left: `calc(${inPercent(partOf(expected, amount))} - 3px)` }} />
      )}
    </div>
  );
  if (alone) return bar;
  return (
    <div className="cap-line">
      {bar}
      <span className="small">{formatShare(part)}</span>
    </div>
  );
}
