export function nanoToUsd(nanoUsd: number): number {
  return nanoUsd / 1e9;
}

/** The sum of amounts of USD with at most nine places: the same in any order and grouping, below 9 million. */
export function sumUsd(amounts: readonly number[]): number {
  return nanoToUsd(amounts.reduce((sum, usd) => sum + Math.round(usd * 1e9), 0));
}

/** Nano-dollars as an exact decimal of USD, for Postgres `numeric`. */
export function nanoToDecimal(nanoUsd: number | bigint): string {
  const digits = BigInt(nanoUsd).toString().padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

export function nanoToText(nanoUsd: number): string {
  return nanoToDecimal(Math.round(nanoUsd)).replace(/\.?0+$/, '');
}

/** USD as a decimal with nine places, for Postgres `numeric`; exact after {@link ceilToNano}. */
export function usdToDecimal(usd: number): string {
  return usd.toFixed(9);
}

export function ceilToNano(usd: number): number {
  const nearest = usdToDecimal(usd);
  if (Number(nearest) >= usd) return Number(nearest);
  return Number(nanoToDecimal(BigInt(nearest.replace('.', '')) + 1n));
}
