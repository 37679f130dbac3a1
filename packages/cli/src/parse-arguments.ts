import { maxDailyCapUsd, maxPageSize } from '@agp/core/contracts';
import { ceilToNano } from '@agp/core/money';
import { InvalidArgumentError } from 'commander';

/** Milliseconds of each unit of a span. */
const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** `30d`, `12h`, `45m`, or a time; as ISO 8601 in UTC. */
export function parseExpiry(text: string): string {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const time = unitMs[unit] !== undefined ? Date.now() + Number(amount) * unitMs[unit] : Date.parse(text);
  if (unitMs[unit] === undefined && (!isoTime.test(text) || Number.isNaN(time))) {
    throw new InvalidArgumentError(
      'It must be a span such as 30d, 12h or 45m, or a time such as 2027-01-31T00:00:00Z.',
    );
  }
  return new Date(time).toISOString();
}

/** An amount of USD as a program may print it, rounded up to the nano-dollar, or `none`. */
export function parseUsd(text: string): number | null {
  if (text === 'none') return null;
  const usd = Number(text);
  if (!/^\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) || usd > maxDailyCapUsd) {
    throw new InvalidArgumentError(`It must be an amount of USD such as 12.50, up to ${maxDailyCapUsd}, or none.`);
  }
  return ceilToNano(usd);
}

/** A whole number of at least 1, or `none`. */
export function parseRate(text: string): number | null {
  if (text === 'none') return null;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1, or none.');
  return Number(text);
}

/** A whole number of at least `min`. */
export function parseWhole(min: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < min) {
      throw new InvalidArgumentError(`It must be a whole number of at least ${min}.`);
    }
    return Number(text);
  };
}

/** How many entries a list may have, from 1 to what the API gives at once. */
export function parsePageSize(text: string): number {
  const size = parseWhole(1)(text);
  if (size > maxPageSize) throw new InvalidArgumentError(`It must be at most ${maxPageSize}.`);
  return size;
}

/** Names separated by commas. */
export function parseNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}
