/** The double nearest to a whole number of nano-dollars, in USD. */
export function nanoToUsd(nanoUsd: number): number {
  return nanoUsd / 1e9;
}

/** A whole number of nano-dollars as an exact decimal of USD with nine places, for Postgres `numeric`. */
export function nanoToDecimal(nanoUsd: number | bigint): string {
  const digits = BigInt(nanoUsd).toString().padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** USD as a decimal with nine places, for Postgres `numeric`; exact where {@link isWholeNano} holds. */
export function usdToDecimal(usd: number): string {
  return usd.toFixed(9);
}

/** Whether an amount of USD is written with no more than nine decimal places. */
export function isWholeNano(usd: number): boolean {
  return Number(usdToDecimal(usd)) === usd;
}
