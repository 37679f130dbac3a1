const all = new Intl.NumberFormat('en');

/** Every digit, with separators. */
export function formatCount(count: number): string {
  return all.format(count);
}

/** `1 event`, `2 events`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** USD exactly: up to the nine decimal places that storage keeps, at least two. */
export function formatUsd(usd: number): string {
  return usd.toFixed(9).replace(/0{1,7}$/, '');
}

const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** Below it, an amount would be written with too many zeros to be read. */
const smallest = 0.000_001;

/** Two digits that count. */
const writeFine = (amount: number) =>
  amount.toFixed(1 - Math.floor(Math.log10(amount))).replace(/(\.\d\d\d*?)0+$/, '$1');

/** USD for people: cents, below ten cents two digits that count; {@link formatUsd} is for who needs all. @param symbol before the digits */
export function roundUsd(usd: number, symbol = ''): string {
  const amount = Math.abs(usd);
  const sign = usd < 0 ? '-' : '';
  if (amount > 0 && amount < smallest) return `${sign}<${symbol}0.000001`;
  return `${sign}${symbol}${amount > 0 && amount < 0.1 ? writeFine(amount) : cents.format(amount)}`;
}

/** A UTC month in words, such as `October 2026`. @param month `2026-10` */
export const nameMonth = (month: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(Date.parse(month));

/** A part of a whole, such as `82%`: `<1%` and `>99%` if rounding would make it none or all, `12 times` from ten times on. */
export function formatShare(part: number, unit = '%'): string {
  if (part > 0 && part < 0.01) return `<1${unit}`;
  if (part > 0.99 && part < 1) return `>99${unit}`;
  return part < 10 ? `${formatCount(Math.round(part * 100))}${unit}` : `${formatCount(Math.floor(part))} times`;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A span in a unit that is read at once: `240 ms`, `3.2 s`, `4 min`, `2 h 5 min`, `3 d`. */
export function formatDuration(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < minute) return `${(ms / second).toFixed(1)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  const minutes = Math.floor((ms % hour) / minute);
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  return `${Math.floor(ms / day)} d`;
}

/** Where the first and the last bucket of durations begin to tell nothing more, in milliseconds. */
const counted = { from: 100, to: 204_800 };

/** An estimate from counts in buckets: `< 100 ms`, `~180 ms`, `~2.9 s`, `> 3 min`; null is a dash. */
export function formatEstimate(ms: number | null): string {
  if (ms === null) return '–';
  if (ms <= counted.from) return `< ${formatDuration(counted.from)}`;
  return ms > counted.to ? `> ${formatDuration(counted.to)}` : `~${formatDuration(Number(ms.toPrecision(2)))}`;
}

/** Whether tokens cost nothing since their model has no price. @param model of a single call; without it any may have been used */
export function lacksPrice(
  { usd, tokens, model }: { usd: number; tokens: number; model?: string | undefined },
  unpriced: readonly { model: string; unit: string | null }[],
): boolean {
  const isOf = (row: (typeof unpriced)[number]) => row.unit === null && (model === undefined || row.model === model);
  return usd === 0 && tokens > 0 && unpriced.some(isOf);
}

/** USD for people; `no price` of tokens that cost nothing. @param unit after the figure */
export function formatCost(usd: number, tokens: number, unit = ''): string {
  return usd === 0 && tokens > 0 ? 'no price' : roundUsd(usd) + unit;
}

/** `2026-11-22 14:03:22.393 UTC`. */
export function formatUtc(timestamp: string): string {
  return timestamp.replace('T', ' ').replace('Z', ' UTC');
}

/** Members of queries by the shorter words that options of `agp` have. */
export const shortNames: Readonly<Record<string, string>> = {
  agent_id: 'agent',
  session_id: 'session',
  compliance_tag: 'tag',
  pii_detected: 'pii',
  http_status: 'status',
  group_by: 'by',
};
