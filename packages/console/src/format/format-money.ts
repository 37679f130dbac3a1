/** Below it, an amount would be written with too many zeros to be read. */
const smallest = 0.000_001;

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Two digits that count, and never less than cents. */
function writeFine(amount: number): string {
  const decimals = Math.max(2, 1 - Math.floor(Math.log10(amount)));
  return amount.toFixed(decimals).replace(/(\.\d\d\d*?)0+$/, '$1');
}

/**
 * USD to the figure that matters: whole dollars from a thousand on, cents from one on, below that two digits that count.
 * The exact amount is {@link formatExactUsd}.
 */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0';
  const amount = Math.abs(usd);
  const sign = usd < 0 ? '-' : '';
  if (amount < smallest) return `${sign}<$0.000001`;
  if (amount < 0.995) return `${sign}$${writeFine(amount)}`;
  return `${sign}$${(amount < 999.995 ? cents : whole).format(amount)}`;
}

/** All nine decimals that storage keeps, without the zeros at the end. */
export function formatExactUsd(usd: number): string {
  return `${usd.toFixed(9).replace(/0{1,7}$/, '')} USD`;
}

/** A cap; null is no cap. */
export function formatCap(usd: number | null): string {
  return usd === null ? 'no cap' : formatUsd(usd);
}
