import type { ListedAuditEntry } from '@agp/core/contracts';
import { toLineText } from '@agp/core/text';
import { formatCount, formatTime } from './format-values.ts';

/** Fields of one change that are shown, and UTF-16 units of each of their values. */
const most = { fields: 20, value: 120 };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Quoted unless it is a plain word, so that no text passes for a change that was not made. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value !== 'string') return toLineText(JSON.stringify(value), most.value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatTime(value);
  return /^[\w@:+/-][\w.@:+/-]*$/.test(value) && value !== 'none'
    ? toLineText(value, most.value)
    : toLineText(JSON.stringify(value), most.value);
}

/** Fields by their names; those of an object within, such as an agent's metadata, as `metadata.team`. */
function listValues(state: Record<string, unknown> | null, prefix = ''): Map<string, unknown> {
  const entries = Object.entries(state ?? {}).flatMap(([name, value]): [string, unknown][] => {
    const path = prefix + (/^[\w-]{1,64}$/.test(name) ? name : toLineText(JSON.stringify(name), 64));
    return isObject(value) && prefix === '' ? [...listValues(value, `${path}.`)] : [[path, value]];
  });
  return new Map(entries);
}

/**
 * An entry of the audit log in one line: `status: active -> blocked` for each field that changed, each value of a thing that was made
 * or is gone, or how many requests were refused and why.
 */
export function formatChange({ action, count, before, after }: ListedAuditEntry): string {
  if (action === 'request.refused') {
    const reasons = [...listValues(after)].map(
      ([name, times]) =>
        `${name.replace('reasons.', '')} ${typeof times === 'number' ? formatCount(times) : formatValue(times)}`,
    );
    return `${formatCount(count)} refused: ${reasons.slice(0, most.fields).join(', ')}`;
  }
  const [old, now] = [listValues(before), listValues(after)];
  const changes = [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [formatValue(old.get(name)), formatValue(now.get(name))];
    if (before === null) return `${name}: ${is}`;
    if (after === null) return `${name}: ${was}`;
    return JSON.stringify(old.get(name)) === JSON.stringify(now.get(name)) ? [] : `${name}: ${was} -> ${is}`;
  });
  const more = changes.length - most.fields;
  return [...changes.slice(0, most.fields), ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || '-';
}
