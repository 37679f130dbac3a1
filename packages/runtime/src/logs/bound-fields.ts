import { hideCredentials } from '@agp/pii/hide-credentials';

/** Longest text, in UTF-16 units: a stack trace has a few thousand. */
const maxText = 4_000;
/** All texts of a line together, in UTF-16 units. */
const maxTexts = 12_000;
const maxEntries = 100;
const maxDepth = 5;

/**
 * The fields of a log line with data from outside made harmless: the length of texts is bounded, each and in all, and the kind of a
 * credential is shown instead of its value. Names are written as in the API: `eventId` becomes `event_id`.
 */
export function boundFields(fields: Record<string, unknown>): Record<string, unknown> {
  let left = maxTexts;

  function boundText(text: string): string {
    // More is searched than is shown, or a credential that is cut in two would not be found.
    const hidden = hideCredentials(text.length > 2 * maxText ? text.slice(0, 2 * maxText) : text);
    const shown = hidden.slice(0, Math.min(maxText, left));
    left -= shown.length;
    return shown.length < hidden.length || text.length > 2 * maxText ? `${shown}... (${text.length} in all)` : shown;
  }

  function bound(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return boundText(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Error) return boundText(value.stack ?? String(value));
    if (depth > maxDepth) return '...';
    if (value instanceof Date) return value;
    if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => bound(entry, depth + 1));
    return boundEntries(value as Record<string, unknown>, (name) => boundText(name), depth + 1);
  }

  function boundEntries(from: Record<string, unknown>, rename: (name: string) => string, depth: number) {
    const entries = Object.entries(from).slice(0, maxEntries);
    return Object.fromEntries(entries.map(([name, value]) => [rename(name), bound(value, depth)]));
  }

  return boundEntries(fields, toSnakeCase, 0);
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
