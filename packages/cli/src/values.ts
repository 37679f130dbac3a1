import type { Stop } from '@agp/core/contracts';
import { formatCount, formatUsd } from '@agp/core/explain';
import { toLineText } from '@agp/core/text';

/** A cap, or what remains of it; null means no cap. */
export function formatCap(usd: number | null): string {
  return usd === null ? 'none' : formatUsd(usd);
}

/** A time without `T` and milliseconds, easier to read in a table. */
export function formatTime(timestamp: string | null): string {
  return timestamp === null ? '-' : timestamp.replace('T', ' ').replace(/\.\d{3}Z$/, 'Z');
}

/** Requests a minute. */
export const formatRate = (rate: number | null) => (rate === null ? 'none' : formatCount(rate));

/** Since when something is stopped, by whom and why. */
export const formatStop = ({ since, by, reason, until }: Stop) =>
  toLineText(
    `since ${formatTime(since)} by ${by} (${reason ?? 'no reason given'})${until ? `, until ${formatTime(until)}` : ''}`,
  );
