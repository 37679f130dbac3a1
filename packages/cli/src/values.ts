import type { Stop } from '@agp/core/contracts';
import { toLineText } from '@agp/core/text';

const count = new Intl.NumberFormat('en');

/** Tokens, requests: with separators. */
export function formatCount(value: number): string {
  return count.format(value);
}

/** USD with up to nine decimal places, at least two. */
export function formatUsd(usd: number): string {
  return usd.toFixed(9).replace(/0{1,7}$/, '');
}

/** A cap, or what remains of it; null means no cap. */
export function formatCap(usd: number | null): string {
  return usd === null ? 'none' : formatUsd(usd);
}

/** A time without `T` and milliseconds, easier to read in a table. */
export function formatTime(timestamp: string | null): string {
  return timestamp === null ? '-' : timestamp.replace('T', ' ').replace(/\.\d{3}Z$/, 'Z');
}

/** Milliseconds in a readable unit. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Requests a minute. */
export const formatRate = (rate: number | null) => (rate === null ? 'none' : formatCount(rate));

/** Since when something is stopped, by whom and why. */
export const formatStop = ({ since, by, reason, until }: Stop) =>
  toLineText(
    `since ${formatTime(since)} by ${by} (${reason ?? 'no reason given'})${until ? `, until ${formatTime(until)}` : ''}`,
  );
