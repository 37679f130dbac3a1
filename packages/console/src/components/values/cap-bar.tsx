import type { Tone } from '../../format/describe-outcome.ts';
import { formatShare } from '../../format/format-count.ts';
import { formatCap, formatUsd } from '../../format/format-money.ts';

interface Props {
  spent: number;
  /** Held by running requests. */
  reserved?: number;
  cap: number | null;
  warnOnly?: boolean | undefined;
  /** For those who cannot see the bar. */
  label: string;
  /** Without the line of text below. */
  bare?: boolean;
}

function judge(used: number, cap: number, warnOnly: boolean | undefined): Tone {
  if (used >= cap) return warnOnly ? 'warn' : 'bad';
  return used >= 0.8 * cap ? 'warn' : 'plain';
}

/** How much of a daily cap is spent, and how much running requests hold. */
export function CapBar({ spent, reserved = 0, cap, warnOnly, label, bare = false }: Props) {
  if (cap === null)
    return (
      <span className="small dim">
        {bare ? 'no cap' : `${formatUsd(spent)} spent, no cap${reserved > 0 ? `, ${formatUsd(reserved)} held` : ''}`}
      </span>
    );
  // A cap of nothing is used up from the start.
  const share = cap === 0 ? 1 : Math.min(1, spent / cap);
  const heldShare = cap === 0 ? 0 : Math.min(1 - share, reserved / cap);
  const text = `${formatUsd(spent)} of ${formatCap(cap)}${warnOnly ? ' (warns only)' : ''}`;
  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> cannot show two parts. */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(100 * share)}
        aria-valuetext={text}
        title={`${text}${reserved > 0 ? `; ${formatUsd(reserved)} held by running requests` : ''}`}
        className="cap-track"
        data-tone={judge(spent + reserved, cap, warnOnly)}
      >
        <div className="spent" style={{ width: `${100 * share}%` }} />
        <div className="held" style={{ width: `${100 * heldShare}%` }} />
      </div>
      {!bare && (
        <div className="small dim">
          {text} · {formatShare(cap === 0 ? 1 : spent / cap)}
          {reserved > 0 && ` · ${formatUsd(reserved)} held`}
        </div>
      )}
    </div>
  );
}
