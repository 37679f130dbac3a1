import type { AuditEntry } from '../api/shapes.ts';
import { formatCount, formatUtc } from './format.ts';

/** Most fields of one change, and characters of a value. */
const most = { fields: 12, value: 80 };

type State = Record<string, unknown> | null;

/** As the API writes times. */
const timePattern = /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string' && timePattern.test(value)) return formatUtc(value);
  const text =
    typeof value === 'string' && /^[\w.@:+/-]+$/.test(value) && value !== 'none' ? value : JSON.stringify(value);
  return text.length > most.value ? `${text.slice(0, most.value)}…` : text;
}

function listFields(state: State, prefix = ''): Map<string, unknown> {
  const fields = Object.entries(state ?? {}).flatMap(([name, value]): [string, unknown][] =>
    isObject(value) && prefix === '' ? [...listFields(value, `${name}.`)] : [[prefix + name, value]],
  );
  return new Map(fields);
}

/** What an entry of the audit log says was changed: `status: active → blocked`. Refused requests: how many, and why. */
export function describeChange({
  action,
  count,
  before,
  after,
}: Pick<AuditEntry, 'action' | 'count' | 'before' | 'after'>): string {
  if (action === 'request.refused') {
    const reasons = isObject(after?.reasons) ? Object.entries(after.reasons) : [];
    const list = reasons
      .slice(0, most.fields)
      .map(([reason, times]) => `${reason.replaceAll('_', ' ')} ${formatCount(Number(times) || 0)}`);
    return `${formatCount(count)} refused${list.length > 0 ? `: ${list.join(', ')}` : ''}`;
  }
  const [old, now] = [listFields(before as State), listFields(after as State)];
  const changes = [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    const label = name.replaceAll('_', ' ');
    // Of what was made or is gone, only what it has.
    if (before === null || after === null) {
      const value = is ?? was ?? null;
      return value === null ? [] : `${label}: ${formatValue(value)}`;
    }
    return JSON.stringify(was) === JSON.stringify(is) ? [] : `${label}: ${formatValue(was)} → ${formatValue(is)}`;
  });
  const more = changes.length - most.fields;
  return [...changes.slice(0, most.fields), ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || 'nothing changed';
}

/** Every action by the words for it. */
export const actionNames: Readonly<Record<string, string>> = {
  'agent.update': 'Agent changed',
  'agent.retire': 'Agent retired',
  'agent_token.create': 'Agent token made',
  'agent_token.delete': 'Agent token revoked',
  'name.release': 'Name released',
  'key.create': 'API key made',
  'key.rotate': 'API key rotated',
  'key.delete': 'API key deleted',
  'key.bootstrap': 'First API key set',
  'budget.global.set': 'Cap of all agents set',
  'budget.default.set': 'Cap of new agents set',
  'budget.agent.set': 'Cap set',
  'limit.default.set': 'Limit of new agents set',
  'limit.agent.set': 'Limit set',
  'pause.set': 'Pause',
  'policy.create': 'Policy made',
  'policy.update': 'Policy changed',
  'policy.delete': 'Policy removed',
  'request.refused': 'Requests refused',
  'events.retention': 'Old events removed',
  'console.link': 'Sign-in link made',
  'console.sign_in': 'Signed in',
  'console.sign_out': 'Signed out',
  'console.refused': 'Sign-in refused',
  'console.replace': 'Session replaced by a sign-in',
  'console.revoke': 'Session ended',
};

/** An action in words; its own name if this version does not know it. */
export function nameAction(action: string): string {
  return Object.hasOwn(actionNames, action) ? (actionNames[action] as string) : action;
}

/** Whether an entry sums up the minute that begins at its time. */
export function sumsUpMinute(action: string): boolean {
  return action === 'request.refused';
}

/** Who made a change. */
export function nameActor(actor: AuditEntry['actor']): string {
  return 'name' in actor ? actor.name : actor.kind;
}
