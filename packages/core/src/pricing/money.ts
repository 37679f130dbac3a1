/** The double nearest to a whole number of nano-dollars, in USD. */
export function nanoToUsd(nanoUsd: number): number {
  return nanoUsd / 1e9;
}

/** A whole number of nano-dollars as an exact decimal of USD with nine places, for Postgres `numeric`. */
export function nanoToDecimal(nanoUsd: number | bigint): string {
  const digits = BigInt(nanoUsd).toString().padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
