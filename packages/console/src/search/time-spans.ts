/** Ranges of time that a list offers: the words that the API takes as `from`, and their names. */
export const timeSpans = [
  { value: '30m', label: 'Last 30 minutes' },
  { value: '24h', label: 'Last 24 hours' },
  { value: 'today', label: 'Today (UTC)' },
  { value: 'yesterday', label: 'Since yesterday (UTC)' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
] as const;

/** A time that the API would read: one of the words, a span, a day or a full time. */
export function isTime(text: string): boolean {
  return /^(?:today|yesterday|[1-9]\d{0,4}[mhd]|\d{4}-\d\d-\d\d(?:T[\d:.]{5,12}(?:Z|[+-]\d\d:\d\d))?)$/.test(text);
}
