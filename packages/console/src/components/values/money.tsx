import { formatExactUsd, formatUsd } from '../../format/format-money.ts';

/** USD to the figure that matters; all decimals on hover. */
export function Money({ usd }: { usd: number }) {
  return (
    <span title={formatExactUsd(usd)} className="nowrap">
      {formatUsd(usd)}
    </span>
  );
}
