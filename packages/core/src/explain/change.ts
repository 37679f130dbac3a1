import { auditActions } from '../contracts/audit-action.ts';
import type { ListedAuditEntry } from '../contracts/index.ts';
import { toLineText } from '../text.ts';
import { formatCount, formatUtc } from './formats.ts';

/** Fields of one change that are told, and UTF-16 units of each name and value. */
const most = { fields: 12, name: 64, value: 80 };

/** How a place writes a change. */
interface Style {
  /** Between what was and what is. */
  arrow: string;
  /** In words: `daily cap usd`, not `daily_cap_usd`. */
  inWords?: boolean;
  /** Without what was before. */
  isBrief?: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Quoted unless it is a plain word, so that no text passes for a change that was not made. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(value)) return formatUtc(value);
  const isPlain = typeof value === 'string' && /^[\w@:+/-][\w.@:+/-]*$/.test(value) && value !== 'none';
  return toLineText(isPlain ? value : JSON.stringify(value), most.value);
}

function listValues(state: Record<string, unknown> | null, prefix = ''): Map<string, unknown> {
  const entries = Object.entries(state ?? {}).flatMap(([name, value]): [string, unknown][] => {
    const path = prefix + (/^[\w-]{1,64}$/.test(name) ? name : toLineText(JSON.stringify(name), most.name));
    return isObject(value) && prefix === '' ? [...listValues(value, `${path}.`)] : [[path, value]];
  });
  return new Map(entries);
}

/** Members by which entries of changes have what was changed: `notification_rule.update` has a `rule`. */
const changed = auditActions.flatMap((action) => /^(?:notification_)?(.+)\.update$/.exec(action)?.[1] ?? []);

/** What the thing that an entry is about was called then, as the entry itself says; null if it does not. */
export function nameChanged({ before, after }: Pick<ListedAuditEntry, 'before' | 'after'>): string | null {
  const states = [after, before].flatMap((state) => [state ?? {}, ...changed.map((name) => state?.[name])]);
  const named = states.filter(isObject).map(({ name, title }) => name ?? title);
  return named.find((name) => typeof name === 'string') ?? null;
}

/**
 * What an entry of the audit log says was changed, in one line: each changed field as `status: active → blocked`, what a thing has that was
 * made or removed, or counts of refusals by reason.
 */
export function describeChange(
  { action, count, before, after }: Pick<ListedAuditEntry, 'action' | 'count' | 'before' | 'after'>,
  { arrow, inWords = false, isBrief = false }: Style,
): string {
  const write = (name: string) => (inWords ? name.replaceAll('_', ' ') : name);
  const [old, now] = [listValues(before), listValues(after)];
  if (action === 'request.refused') {
    const reasons = [...now].map(
      ([name, times]) => `${write(name.replace('reasons.', ''))} ${formatCount(Number(times) || 0)}`,
    );
    return [`${formatCount(count)} refused`, reasons.slice(0, most.fields).join(', ')].filter(Boolean).join(': ');
  }
  const changes = [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (before === null || after === null) {
      const value = is ?? was ?? null;
      return value === null ? [] : `${write(name)}: ${formatValue(value)}`;
    }
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return `${write(name)}${isBrief ? '' : `: ${formatValue(was)}`}${arrow}${formatValue(is)}`;
  });
  const more = changes.length - most.fields;
  return [...changes.slice(0, most.fields), ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || 'nothing changed';
}
