const all = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Every digit, with separators. */
export function formatCount(count: number): string {
  return all.format(count);
}

/** In short from ten thousand on: `12.3K`. */
export function formatShortCount(count: number): string {
  return count < 10_000 ? all.format(count) : short.format(count);
}

/** `1 event`, `2 events`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** A part of a whole, such as `82%`; `<1%` and `>99%` where rounding would make it none or all. */
export function formatShare(part: number): string {
  if (part > 0 && part < 0.01) return '<1%';
  if (part > 0.99 && part < 1) return '>99%';
  return `${all.format(Math.round(part * 100))}%`;
}
